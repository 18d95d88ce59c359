import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HookRunner } from '../src/hooks/runner.ts';
import { gate } from '../src/testkit/gate.ts';
import { gatewayForTest } from '../src/testkit/gateway-for-test.ts';
import { reply } from '../src/testkit/model-server.ts';
import { on } from '../src/testkit/on.ts';
import type { ScratchGateway, ScratchGatewaySettings } from '../src/testkit/scratch-gateway.ts';

/** What a person said, and what the guard knows about it; neither may be found anywhere afterwards. */
const SAID = 'zebra-quartz-4711-said';
const REASON = 'violet-anvil-8128-reason';

const ALL_RECORDS = {
  OPENCLAW_RAW_STREAM: '1',
  OPENCLAW_CACHE_TRACE: '1',
  OPENCLAW_ANTHROPIC_PAYLOAD_LOG: '1',
  OPENCLAW_DEBUG_MODEL_PAYLOAD: 'full-redacted',
  OPENCLAW_TRAJECTORY: '1',
};

describe('of a run that a gate has blocked', () => {
  it('nothing is left in any byte of the state, nor in anything that was told', async () => {
    const heard: string[] = [];
    const scratch = await guarded({
      register: (hooks) => {
        on(hooks, 'message_received', 'listener', ({ content, BodyForAgent }) => {
          heard.push(content, BodyForAgent ?? '');
          throw new Error(`could not store ${content}`);
        });
        on(hooks, 'agent_end', 'archive', (event, context) => void heard.push(JSON.stringify([event, context])));
      },
    });
    const told = listen(scratch);
    const { runId } = await scratch.channel.says({}, `Please keep ${SAID}`, { messageId: 'm1' });
    expect(await scratch.services.runs.wait(runId)).toMatchObject({ status: 'blocked' });
    await scratch.channel.expectDelivered('Your message could not be sent: Not here. (blocked by guard)');
    await scratch.hooks.drain(1_000);

    // The observers of inbound messages were told before the gate decided; those of the end were not.
    expect(heard.slice(0, 2)).toEqual([`Please keep ${SAID}`, `Please keep ${SAID}`]);
    expect(heard.slice(2).join('\n')).not.toContain(SAID);
    expect(heard.join('\n')).not.toContain(REASON);
    expect(told.join('\n')).not.toMatch(new RegExp(`${SAID}|${REASON}`));
    expect(told.join('\n')).toContain('message-accepted');
    expect(JSON.stringify(await scratch.services.status())).not.toContain(SAID);
    expect(await traces(scratch)).toEqual([]);
    await leavesNothing(scratch);
  });

  it('nothing is left when it was cut short before its gate had spoken, and blocked by the next process', async () => {
    let isFirst = true;
    const { opened: asked, open: ask } = gate();
    const scratch = await guarded({
      register: (hooks) =>
        on(hooks, 'before_agent_run', { owner: 'slow', priority: 10 }, () => {
          if (!isFirst) return { outcome: 'pass' };
          isFirst = false;
          ask();
          return new Promise(() => {});
        }),
    });
    const { runId } = await scratch.channel.says({}, `Keep ${SAID}`);
    await asked;
    await scratch.stop(0);
    await scratch.start();
    const told = listen(scratch);
    expect(await scratch.services.runs.wait(runId)).toMatchObject({ status: 'blocked', claim: 2 });
    await scratch.channel.expectDelivered(/blocked by guard/);
    expect(told.join('\n')).not.toContain(SAID);
    await leavesNothing(scratch);
  });

  it('nothing is left when it waited behind another one in the inbox', async () => {
    const scratch = await guarded({ provider: {} });
    scratch.model.script([reply('Hello.')]);
    await Promise.all([scratch.channel.says({}, 'Hi'), scratch.channel.says({}, `Keep ${SAID}`)]);
    await scratch.channel.expectDelivered('Hello.');
    await scratch.channel.expectDelivered(/blocked by guard/);
    expect(scratch.model.requests.map(({ body }) => body).join()).not.toContain(SAID);
    await leavesNothing(scratch);
  });

  it.each(['cron', 'heartbeat'] as const)('nothing is left when it was a %s', async (kind) => {
    const scratch = await guarded({
      register: (hooks) => {
        // The text of a schedule is the operator's own; what a plugin adds to it is not.
        on(hooks, 'agent_turn_prepare', 'adds', () => ({ prependContext: SAID }));
      },
    });
    const runId = `run_${kind}`;
    const surface = { channel: 'test', accountId: 'default', peer: { kind: 'direct', id: 'ana' } } as const;
    const inbound = { surface, sender: { id: kind }, text: `a ${kind} says BLOCK`, at: Date.now() };
    await scratch.store.commit(
      [
        {
          insert: 'inbox',
          row: {
            runId,
            sessionKey: 'agent:main:main',
            kind,
            dedupeKey: null,
            fingerprint: null,
            payload: { inbound, agentId: 'main', jobId: 'job_1' },
            acceptedAt: Date.now(),
            status: 'queued',
          },
        },
      ],
      { site: 'job-slot' },
    );
    await scratch.stop();
    await scratch.start();
    await expect
      .poll(async () => (await scratch.store.select('runs', { where: { runId } }))[0]?.status)
      .toBe('blocked');
    await leavesNothing(scratch);
  });
});

it('what a gate lets pass is shown to those who watch, once it has passed', async () => {
  const scratch = await guarded();
  scratch.model.script([reply('Hello.')]);
  const told = listen(scratch);
  const { runId } = await scratch.channel.says({}, 'Hi');
  await scratch.services.runs.wait(runId);
  const accepted = told.map((text) => JSON.parse(text)).filter(({ type }) => type === 'message-accepted');
  expect(accepted.map(({ text }) => text)).toEqual(['', 'Hi']);
});

/** A gateway that blocks every message that holds the marker or says BLOCK, with all records switched on. */
function guarded(settings: ScratchGatewaySettings = {}): Promise<ScratchGateway> {
  return gatewayForTest({
    ...settings,
    variables: ALL_RECORDS,
    register: (hooks) => {
      guard(hooks);
      settings.register?.(hooks);
    },
  });
}

function guard(hooks: HookRunner): void {
  on(hooks, 'before_agent_run', 'guard', ({ prompt }) =>
    prompt.includes(SAID) || prompt.includes('BLOCK')
      ? { outcome: 'block', reason: `${REASON}: ${prompt}`, message: 'Not here.', metadata: { quote: prompt } }
      : { outcome: 'pass' },
  );
  // The handler's change is part of the record, and of what is blocked.
  on(hooks, 'before_prompt_build', 'quote', ({ prompt }) => ({
    prependContext: `They said ${prompt}`,
    appendSystemContext: prompt,
  }));
}

function listen({ services }: ScratchGateway): string[] {
  const told: string[] = [];
  services.subscribe((event) => told.push(JSON.stringify(event)));
  return told;
}

/** The files are searched while the gateway runs, with its log and its free pages, and after it has stopped. */
async function leavesNothing(scratch: ScratchGateway): Promise<void> {
  expect(await traces(scratch)).toEqual([]);
  expect(scratch.warnings.join('\n')).not.toMatch(new RegExp(`${SAID}|${REASON}`));
  await scratch.stop();
  expect(await traces(scratch)).toEqual([]);
}

async function traces({ home }: ScratchGateway): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(home.stateDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    for (const text of [SAID, REASON]) {
      for (const encoding of ['utf8', 'utf16le'] as const) {
        if (bytes.includes(Buffer.from(text, encoding))) found.push(`${path}: ${text} as ${encoding}`);
      }
    }
  }
  return found;
}
