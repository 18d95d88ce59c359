// Talks of every kind in a gateway of their own, chosen by a seed: several agents and kinds of session, tools, approvals,
// children, images, texts that plugins queue and add, handlers and rules that edit files, files that change meanwhile,
// conversations that outgrow the window, providers that fail and refuse images, a gateway that stops and starts. What they
// leave in the store is what a replay has to compose again.

import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HookRunner } from '../src/hooks/runner.ts';
import type { ModelProtocol } from '../src/protocol/model-protocol.ts';
import { newId } from '../src/protocol/new-id.ts';
import { fail, type ModelReply, type RecordedRequest, reply, toolCalls } from '../src/testkit/model-server.ts';
import { on } from '../src/testkit/on.ts';
import { ScratchGateway } from '../src/testkit/scratch-gateway.ts';
import type { TestPlace } from '../src/testkit/test-channel.ts';
import { pixel } from '../src/testkit/test-images.ts';
import { seededRandom } from './seeded-random.ts';

export interface RecordedTalksSettings {
  /** At least so many runs are made; there may be a few more. */
  readonly runs: number;
  readonly seed: number;
  readonly protocol: ModelProtocol;
}

const START = Date.parse('2026-05-08T18:00:00Z');
const HOUR_MS = 3_600_000;

const PLACES: readonly (TestPlace & { readonly sessionKey?: string })[] = [
  { sender: 'ann' },
  { sender: 'bob' },
  { sender: 'ann', sessionKey: 'agent:main:main' },
  { sender: 'ann', group: 'g1' },
  { sender: 'bob', channel: 'news', thread: 't1' },
  { sender: 'bob', channel: 'news', thread: 't2' },
  { sender: 'ann', sessionKey: 'agent:ops:main' },
  { sender: 'ann', sessionKey: 'agent:boa:main' },
  { sender: 'ann', sessionKey: 'agent:ops:cron:nightly:run:1' },
  { sender: 'ann', sessionKey: 'agent:main:main:heartbeat' },
];

export async function recordTalks({ runs, seed, protocol }: RecordedTalksSettings): Promise<ScratchGateway> {
  const random = seededRandom(seed);
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value;
  let clock = START;
  const scratch = await ScratchGateway.open({
    protocol,
    now: () => clock,
    files: FILES,
    channel: { can: ['history'] },
    provider: {
      models: [
        { id: 'small', contextWindow: 3_500, input: ['text', 'image'], maxTokens: 900 },
        { id: 'large', contextWindow: 5_000, cost: { input: 3, output: 15 } },
      ],
    },
    config: CONFIG,
    register: (hooks) => registerHandlers(hooks),
  });
  scratch.model.script((request) => answerOf(request, random()));
  try {
    for (let said = 1; (await scratch.store.count('runs')) < runs; said++) {
      clock += Math.floor((random() * HOUR_MS) / 3) + 1_000;
      if (random() < 0.15) await changeFiles(scratch, said, pick);
      if (random() < 0.02) {
        await scratch.stop();
        await scratch.start();
      }
      const { sessionKey, ...place } = pick(PLACES);
      if (random() < 0.2 && sessionKey) await queueText(scratch, sessionKey, clock, said);
      const files = random() < 0.12 ? [{ name: `photo-${said}.png`, bytes: pixel(said % 200), mime: 'image/png' }] : [];
      const text = `${random() < 0.03 ? '/new ' : ''}${pick(WISHES)} ${said} ${'word '.repeat(Math.floor(random() * 120))}`;
      await scratch.channel.says(place, text, {
        ...(sessionKey && { sessionKey }),
        ...(files.length > 0 && { files }),
      });
      await untilQuiet(scratch);
    }
    return scratch;
  } catch (error) {
    await scratch.close();
    throw error;
  }
}

const WISHES = ['plain', 'look', 'sign', 'spawn', 'both', 'refuse', 'long', 'twice', 'broken'] as const;

/** What the model does depends on what was said, and on how often it was asked already. */
function answerOf(request: RecordedRequest, chance: number): ModelReply {
  const said = JSON.stringify(request.json.messages ?? []);
  const last = request.body.slice(-2_000);
  if (!('tools' in request.json)) return uncounted(reply('They talked about words.'));
  if (last.includes('[Subagent Task]')) return uncounted(reply('The work is done.'));
  const wish = [...said.matchAll(/(plain|look|sign|spawn|both|refuse|long|twice|broken) (\d+) /g)].at(-1);
  const [, kind = 'plain', number = '0'] = wish ?? [];
  const asked = said.split(`${kind} ${number} `).length - 1;
  const results =
    said.slice(said.lastIndexOf(`${kind} ${number} `)).match(/"tool_call_id"|"tool_result"/g)?.length ?? 0;
  if (kind === 'refuse' && request.body.includes('sha256') && asked === 1) return fail(400, { message: 'bad image' });
  if (kind === 'broken' && chance < 0.4) return fail(400);
  if (results === 0 && kind === 'look')
    return uncounted(toolCalls([{ name: 'read', params: { path: 'notes.txt' } }], 'Let me see.'));
  if (results === 0 && kind === 'both')
    return uncounted(
      toolCalls([
        { name: 'read', params: { path: 'gone.md' } },
        { name: 'read', params: { path: 'AGENTS.md' } },
      ]),
    );
  if (results === 0 && kind === 'sign')
    return uncounted(toolCalls([{ name: 'write', params: { path: `out-${number}.txt`, content: number } }]));
  if (results === 0 && kind === 'spawn')
    return uncounted(toolCalls([{ name: 'sessions_spawn', params: { task: `Work on ${number}.` } }]));
  if (results < 2 && kind === 'twice')
    return uncounted(toolCalls([{ name: 'read', params: { path: 'notes.txt', offset: results + 1 } }]));
  return uncounted(reply(`Noted ${number}. ${kind === 'long' ? 'And more. '.repeat(60) : ''}`));
}

/** Without a count, so that sizes are those that the gateway estimates. */
function uncounted(answer: ModelReply): ModelReply {
  return { ...answer, usage: { ...answer.usage, input: 0 } };
}

/** A run that is not over by then never ends. */
const PATIENCE_MS = 60_000;

/** Answers what is asked, until no run is left. */
export async function untilQuiet(scratch: ScratchGateway): Promise<void> {
  const limit = Date.now() + PATIENCE_MS;
  for (;;) {
    const waiting = await scratch.store.select('approvals', { where: { status: 'waiting' } });
    for (const { id } of waiting) {
      const decision = id.charCodeAt(id.length - 1) % 2 === 0 ? 'allow-once' : 'deny';
      await scratch.services.approvals.answer(id, decision, { by: 'api' });
    }
    // A trigger becomes a run, so what has not begun is looked for first.
    const queued = await scratch.store.count('inbox', { status: { in: ['queued', 'claimed'] } });
    const open = await scratch.store.select('runs', { where: { status: { in: ['running', 'suspended'] } } });
    if (open.length === 0 && queued === 0) return;
    if (Date.now() > limit) throw new Error(`These runs do not end: ${JSON.stringify(open)}`);
    await sleep(1);
  }
}

async function changeFiles(scratch: ScratchGateway, said: number, pick: <V>(values: readonly V[]) => V): Promise<void> {
  const path = pick([
    'workspace/AGENTS.md',
    'workspace/USER.md',
    'AGENTS.md',
    'workspace-ops/AGENTS.md',
    'workspace/skills/x/SKILL.md',
  ]);
  if (said % 5 === 0) return rm(scratch.home.path(path), { force: true });
  const text = `# Rules of ${said}\n\nBe brief.\nBe kind.\n${'More rules. '.repeat(said % 90)}\n`;
  await scratch.home.write(path, path.endsWith('SKILL.md') ? `---\nname: x\ndescription: does ${said}\n---\n` : text);
}

async function queueText(scratch: ScratchGateway, sessionKey: string, now: number, said: number): Promise<void> {
  const row = {
    id: newId('inj', now),
    owner: 'mailer',
    sessionKey,
    idempotencyKey: null,
    placement: said % 2 === 0 ? 'prepend' : 'append',
    text: `Mail ${said} is waiting.`,
    createdAt: now,
    expiresAt: null,
    status: 'queued',
    runId: null,
  } as const;
  await scratch.store.commit([{ insert: 'injections', row }], { site: 'injection' });
}

const FILES = {
  'workspace/AGENTS.md': `# Rules\n\nBe brief. Größe — "quoted" \\ back\\slash \u{1f642}.\nBe kind.\n${'Rule. '.repeat(300)}\n`,
  'workspace/SOUL.md': 'Calm.\nQuiet.\n',
  'workspace/MEMORY.md': 'Ann likes tea.\n',
  'workspace/HEARTBEAT.md': '- [ ] look at the mail\n',
  'workspace/notes.txt': 'one\ntwo\nthree\n',
  'workspace/skills/x/SKILL.md': '---\nname: x\ndescription: does x\n---\nBody.\n',
  'workspace-ops/AGENTS.md': '# Ops\n\nNever deploy on Fridays.\n',
  'workspace-ops/notes.txt': 'ops\n',
  'workspace-boa/AGENT.md': '# Boa\n\nYou are boa.\n',
  'AGENTS.md': 'For everybody.\n',
  'agents/ops/SOUL.md': 'Very calm.\n',
};

const CONFIG = {
  agents: {
    defaults: { model: { primary: 'fake/small', fallbacks: ['fake/large'] }, bootstrapMaxChars: 1_200 },
    list: [
      { id: 'main', default: true },
      { id: 'ops', model: 'fake/large' },
      { id: 'boa', taxonomy: 'openboa' },
    ],
  },
  tools: { allow: ['read', 'write', 'sessions_spawn'] },
  bootstrap: {
    hooks: { 'time-context': { enabled: true } },
    rules: [
      { id: 'friday', file: 'AGENTS.md', mode: 'append', text: 'It is Friday.', when: { days: ['fri'] } },
      { id: 'gag', file: 'MEMORY.md', mode: 'remove', when: { channel: 'test' } },
    ],
  },
};

/** Every hook that shapes a request, and handlers that edit files in every way. */
function registerHandlers(hooks: HookRunner): void {
  let turns = 0;
  on(hooks, 'before_prompt_build', 'framer', () => ({
    prependSystemContext: 'First of all.',
    appendSystemContext: `Turn ${++turns}.`,
    appendContext: 'Behind it.',
  }));
  on(hooks, 'agent_turn_prepare', 'counter', ({ messages }) => ({
    prependContext: `Before: ${messages?.length ?? 0}.`,
  }));
  on(hooks, 'before_agent_start', 'veteran', () => ({ prependContext: 'From the old days.' }));
  on(hooks, 'before_message_write', 'editor', ({ message }) =>
    message.role === 'user' && turns % 3 === 0
      ? { message: { ...message, content: String(message.content[0]?.text).replace('word', 'WORD') } }
      : undefined,
  );
  on(hooks, 'before_tool_call', 'careful', ({ toolName }) =>
    toolName === 'write' ? { requireApproval: { title: 'Fine?', description: '' } } : undefined,
  );
  on(hooks, 'before_agent_run', 'guard', ({ prompt }) =>
    / 13 /.test(String(prompt)) ? { outcome: 'block', reason: 'unlucky' } : undefined,
  );
  const register = hooks.register.bind(hooks) as (registration: object) => void;
  const edits = (
    id: string,
    edit: (files: { name: string; content?: string; missing: boolean }[]) => void,
    more = {},
  ) =>
    register({
      hook: 'agent:bootstrap',
      owner: 'packs',
      id,
      handler: ({ context }: { context: { bootstrapFiles: never[] } }) => edit(context.bootstrapFiles),
      ...more,
    });
  edits('weaves', (files) => {
    for (const file of files)
      if (file.content?.includes('Be kind.')) file.content = file.content.replace('Be kind.', `Be very kind ${turns}.`);
  });
  edits('brings', (files) => {
    files.push({ name: 'EXTRA.md', path: 'EXTRA.md', content: `Extra ${turns % 4}.`, missing: false } as never);
  });
  edits('fails', (files) => {
    files.length = 0;
    if (turns % 2 === 0) throw new Error('no luck');
    throw new Error('no luck at all');
  });
}
