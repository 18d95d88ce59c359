// What a preview shows is compared, byte for byte, with what the provider's server receives afterwards.

import { afterEach, describe, expect, it } from 'vitest';
import type { PreviewRequest } from '../src/gateway/services/preview-message.ts';
import type { HookRunner } from '../src/hooks/runner.ts';
import { MODEL_PROTOCOLS } from '../src/protocol/model-protocol.ts';
import { newId } from '../src/protocol/new-id.ts';
import { reply, toolCall, toolCalls } from '../src/testkit/model-server.ts';
import { on } from '../src/testkit/on.ts';
import { ScratchGateway, type ScratchGatewaySettings } from '../src/testkit/scratch-gateway.ts';
import type { TestPlace } from '../src/testkit/test-channel.ts';

let scratch: ScratchGateway;
let clock: number;
afterEach(() => scratch.close());

const FRIDAY_NIGHT = Date.parse('2026-05-08T23:30:00Z');
const HOUR = 3_600_000;

async function open(settings: ScratchGatewaySettings = {}): Promise<void> {
  clock = FRIDAY_NIGHT;
  scratch = await ScratchGateway.open({
    files: {
      'workspace/AGENTS.md': '# Rules\n\nBe brief. Größe — "quoted" \\ back\\slash.\n',
      'workspace/MEMORY.md': 'Ada likes tea.\n',
      'workspace/HEARTBEAT.md': '- [ ] look at the mail\n',
      'workspace-ops/AGENTS.md': '# Ops\n\nNever deploy on Fridays.\n',
      'workspace-boa/AGENT.md': '# Boa\n\nYou are boa.\n',
      'AGENTS.md': 'For everybody.\n',
      'agents/ops/SOUL.md': 'Calm.\n',
    },
    now: () => clock,
    ...settings,
    config: {
      agents: {
        defaults: { model: 'fake/small' },
        list: [
          { id: 'main', default: true },
          { id: 'ops', model: 'fake/large' },
          { id: 'boa', taxonomy: 'openboa' },
        ],
      },
      bootstrap: { hooks: { 'time-context': { enabled: true } } },
      ...settings.config,
    },
  });
  scratch.model.script(() => reply('Very well.'));
}

async function say(text: string, sessionKey?: string, place: TestPlace = {}): Promise<string> {
  const { runId } = await scratch.channel.says(place, text, sessionKey === undefined ? {} : { sessionKey });
  const run = await scratch.services.runs.wait(runId);
  expect(run.outcome?.error).toBeUndefined();
  return runId;
}

/** Previews the message, sends it, and compares. */
async function expectWire(
  text: string,
  sessionKey?: string,
  about: Partial<PreviewRequest> = {},
  place: TestPlace = {},
): Promise<string> {
  const channel = scratch.channel.id;
  const preview = await scratch.services.context.preview({ message: text, sessionKey, channel, ...about });
  const before = scratch.model.requests.length;
  await say(text, sessionKey, place);
  const sent = scratch.model.requests[before];
  expect(preview.wire.body).toBe(sent?.body);
  expect(preview.wire.url).toBe(`${scratch.model.baseUrl}${sent?.path.replace('/v1', '')}`);
  expect(preview.placeholders).toEqual([]);
  return preview.wire.body;
}

async function inject(sessionKey: string, owner: string, placement: 'prepend' | 'append', text: string) {
  const row = {
    id: newId('inj', clock),
    owner,
    sessionKey,
    idempotencyKey: null,
    placement,
    text,
    createdAt: clock,
    expiresAt: null,
    status: 'queued',
    runId: null,
  } as const;
  await scratch.store.commit([{ insert: 'injections', row }], { site: 'injection' });
}

const KEYS = [
  ['main', 'agent:main:main'],
  ['direct', 'agent:main:test:direct:ada'],
  ['group', 'agent:main:test:group:g1'],
  ['channel', 'agent:ops:discord:channel:42'],
  ['thread', 'agent:ops:discord:channel:42:thread:7'],
  ['subagent', 'agent:main:subagent:x'],
  ['cron', 'agent:ops:cron:nightly:run:1'],
  ['heartbeat', 'agent:main:main:heartbeat'],
  ['hook', 'agent:main:hook:github:1'],
  ['of openboa', 'agent:boa:main'],
] as const;

describe.each(MODEL_PROTOCOLS)('a preview for %s', (protocol) => {
  it('is what is sent, for every kind of session, with history and tools', async () => {
    await open({ protocol });
    const bodies = new Set<string>();
    for (const [, sessionKey] of KEYS) {
      bodies.add(await expectWire('hello "you" \u{1f642}\n\tü', sessionKey));
      scratch.model.script([
        toolCalls(
          [
            { name: 'read', params: { path: 'AGENTS.md' } },
            { name: 'read', params: { path: 'gone.md' } },
          ],
          'Let me look.',
        ),
        reply('I have looked.'),
      ]);
      await expectWire('look at your rules', sessionKey);
      scratch.model.script(() => reply('Very well.'));
      await expectWire('and now?', sessionKey);
    }
    expect(bodies.size).toBeGreaterThan(5);
  });

  it('is what is sent at other times of the day, and after a session has rolled over', async () => {
    await open({ protocol, config: { session: { idleMinutes: 60 } } });
    const night = await expectWire('hello', 'agent:main:main');
    clock += 30 * 60_000;
    await expectWire('still there?', 'agent:main:main');
    clock += 10 * HOUR;
    const morning = await expectWire('good morning', 'agent:main:main');
    expect(morning).not.toContain('still there?');
    expect(morning.replace('good morning', 'hello')).not.toBe(night);
    const later = new Date(clock + 12 * HOUR);
    const preview = await scratch.services.context.preview({
      message: 'later',
      sessionKey: 'agent:main:main',
      channel: 'test',
      at: later,
    });
    clock = later.getTime();
    expect(await expectWire('later', 'agent:main:main')).toBe(preview.wire.body);
  });

  it('is what is sent on the surfaces of a channel, routed by where they are', async () => {
    await open({
      protocol,
      config: { bindings: [{ agentId: 'ops', match: { channel: 'test', peer: { kind: 'channel', id: 'c1' } } }] },
    });
    const sender = { id: 'owner', name: 'owner' };
    await expectWire('hello', undefined, { channel: 'test:c1', sender }, { channel: 'c1' });
    await expectWire('again', undefined, { channel: 'test:c1', sender }, { channel: 'c1' });
    await expectWire('hello', undefined, { channel: 'test' }, { sender: 'preview' });
  });

  it('shows queued injections and leaves them queued', async () => {
    await open({ protocol });
    const key = 'agent:main:main';
    await inject(key, 'mailer', 'prepend', 'You have mail.');
    await inject(key, 'clock', 'append', 'It is late.');
    const asked = { message: 'hello', sessionKey: key, channel: 'test' };
    const first = await scratch.services.context.preview(asked);
    expect((await scratch.services.context.preview(asked)).wire.body).toBe(first.wire.body);
    expect(await scratch.store.count('injections', { status: 'queued' })).toBe(2);
    expect(await expectWire('hello', key)).toContain('You have mail.');
    expect(await scratch.store.count('injections', { status: 'consumed' })).toBe(2);
    await expectWire('and now?', key);
  });

  it('asks handlers that are pure, and is what is sent', async () => {
    await open({ protocol, register: (hooks) => registerHandlers(hooks, { pure: true }) });
    await expectWire('hello', 'agent:main:main');
    const body = await expectWire('once more', 'agent:main:main');
    for (const words of ['before 2', 'behind', 'system first', 'system last', 'from the old days', 'ONCE MORE'])
      expect(body).toContain(words);
    // Google is told in the address.
    expect(JSON.parse(body).model ?? scratch.model.requests.at(-1)?.path).toMatch(/large/);
  });

  it('names handlers that may have effects, and is what is sent once they are asked', async () => {
    await open({ protocol, register: (hooks) => registerHandlers(hooks, { pure: false }) });
    const asked = { message: 'hello', sessionKey: 'agent:main:main', channel: 'test' };
    const preview = await scratch.services.context.preview(asked);
    expect(preview.placeholders).toEqual(['route', 'old', 'turn', 'build', 'write']);
    expect(preview.wire.body).not.toContain('system first');
    expect(calls).toBe(0);
    await expectWire('hello', 'agent:main:main', { runHooks: true });
    await expectWire('once more', 'agent:main:main', { runHooks: true });
  });

  it('begins a new session where the message does, and refuses what no model is asked', async () => {
    await open({ protocol });
    await say('hello', 'agent:main:main');
    expect(await expectWire('/new and now for something else', 'agent:main:main')).not.toContain('hello');
    for (const message of ['/status', '/new', ' /help ']) {
      await expect(scratch.services.context.preview({ message, sessionKey: 'agent:main:main' })).rejects.toThrow(
        /^The gateway answers ".*" itself/,
      );
    }
  });

  it('is what is sent after a run that failed between its tools and its answer', async () => {
    await open({ protocol });
    scratch.model.script([toolCall('read', { path: 'AGENTS.md' })]);
    const { runId } = await scratch.channel.says({}, 'look', { sessionKey: 'agent:main:main' });
    await scratch.services.runs.wait(runId);
    scratch.model.script(() => reply('Very well.'));
    await expectWire('go on', 'agent:main:main');
  });
});

describe('a preview', () => {
  it('leaves nothing behind', async () => {
    await open({ register: (hooks) => registerHandlers(hooks, { pure: true }) });
    await say('hello', 'agent:main:main');
    const before = await everything();
    await scratch.services.context.preview({ message: 'hello', sessionKey: 'agent:main:main', runHooks: true });
    await scratch.services.context.preview({ message: '/new hello', sessionKey: 'agent:main:main' });
    await scratch.services.context.preview({ message: 'hello', sessionKey: 'agent:ops:never:seen' });
    expect(await everything()).toEqual(before);
    // Records are written in groups, at the latest when the gateway stops.
    await scratch.stop();
    await scratch.start();
    expect(await scratch.store.count('hookRecords')).toBeGreaterThan(0);
    expect(await scratch.store.count('hookRecords', { runId: 'run_preview' })).toBe(0);
  });
});

async function everything(): Promise<unknown> {
  const rows: unknown[] = [];
  for (const table of ['sessions', 'transcript', 'inbox', 'injections', 'captures', 'parts'] as const) {
    rows.push([table, await scratch.store.select(table)]);
  }
  return rows;
}

let calls = 0;

/** One handler on each hook that shapes a request. */
function registerHandlers(hooks: HookRunner, { pure }: { pure: boolean }): void {
  calls = 0;
  const owner = 'test';
  const counted = <Answer>(answer: Answer): Answer => {
    calls += 1;
    return answer;
  };
  on(hooks, 'before_model_resolve', { owner, id: 'route', pure }, () => counted({ modelOverride: 'large' }));
  on(hooks, 'before_agent_start', { owner, id: 'old', pure }, () => counted({ prependContext: 'from the old days' }));
  on(hooks, 'agent_turn_prepare', { owner, id: 'turn', pure }, ({ messages }) =>
    counted({ prependContext: `before ${messages?.length ?? 0}` }),
  );
  on(hooks, 'before_prompt_build', { owner, id: 'build', pure }, () =>
    counted({ appendContext: 'behind', prependSystemContext: 'system first', appendSystemContext: 'system last' }),
  );
  on(hooks, 'before_message_write', { owner, id: 'write', pure }, ({ message }) =>
    message.role === 'user'
      ? counted({
          message: { ...message, content: String(message.content[0]?.text).replace('once more', 'ONCE MORE') },
        })
      : undefined,
  );
}
