import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { reply, toolCall } from '../testkit/model-server.ts';
import { on } from '../testkit/on.ts';
import type { ScratchGateway } from '../testkit/scratch-gateway.ts';

interface TraceRecord {
  readonly type: string;
  readonly sessionId: string;
  readonly data: Record<string, unknown>;
}

it('a run’s trajectory tells what it was given, what it used and what that cost', async () => {
  const scratch = await gatewayForTest({ provider: { models: [{ id: 'small', cost: { input: 2, output: 10 } }] } });
  scratch.model.script([reply('Hello.', { usage: { input: 1_000, output: 100 } })]);
  await scratch.channel.asks({ sender: 'owner' }, 'Hi', 'Hello.');
  await scratch.stop();
  const records = await recordsOf(scratch);
  const types = records.map(({ type }) => type);
  for (const type of ['context.compiled', 'prompt.submitted', 'model.completed', 'delivery.ended', 'session.ended']) {
    expect(types).toContain(type);
  }
  expect(records.find(({ type }) => type === 'model.completed')?.data).toMatchObject({
    usage: { input: 1_000, output: 100 },
    cost: 0.003,
  });
});

it('a session’s trajectory says with which versions, settings and plugins it ran, and again when these have changed', async () => {
  const scratch = await gatewayForTest({});
  scratch.model.script(() => reply('Hello.'));
  for (const word of ['one', 'two']) await scratch.channel.asks({ sender: 'owner' }, word, 'Hello.');
  const settings = JSON.parse(await readFile(scratch.home.path('openclaw.json'), 'utf8'));
  await writeFile(
    scratch.home.path('openclaw.json'),
    JSON.stringify({ ...settings, messages: { responsePrefix: '' } }),
  );
  await scratch.services.configuration.state();
  for (const word of ['three', 'four']) await scratch.channel.asks({ sender: 'owner' }, word, 'Hello.');
  await scratch.stop();
  const records = await recordsOf(scratch);
  const types = records.map(({ type }) => type).filter((type) => /^(?:session\.started|trace\.metadata)$/.test(type));
  expect(types).toEqual([
    'session.started',
    'trace.metadata',
    'session.started',
    'session.started',
    'trace.metadata',
    'session.started',
  ]);
  expect(records[0]?.data).toMatchObject({ agentId: 'main', attempt: 1, trigger: 'user', channel: 'test' });
  const described = records.filter(({ type }) => type === 'trace.metadata').map(({ data }) => data);
  expect(described[0]).toMatchObject({
    versions: { node: process.version },
    settings: { files: [scratch.home.path('openclaw.json')], hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
    plugins: [],
  });
  expect(described[1]?.settings).not.toEqual(described[0]?.settings);
});

it('every type of record that the documents name is written, and no other', async () => {
  const scratch = await gatewayForTest({
    config: { recorder: { trajectory: { maxBytes: 60_000 } } },
    register: (hooks) =>
      on(hooks, 'before_agent_reply', 'clerk', ({ cleanedBody }) =>
        cleanedBody === 'Opening hours?' ? { handled: true, reply: { text: 'Nine to five.' } } : undefined,
      ),
  });
  scratch.model.script([toolCall('read', { path: 'AGENTS.md' }), reply('Read.'), reply('Long. '.repeat(8_000))]);
  await scratch.channel.asks({ sender: 'owner' }, 'Read it', 'Read.');
  await scratch.channel.asks({ sender: 'owner' }, 'Opening hours?', 'Nine to five.');
  await scratch.channel
    .says({ sender: 'owner' }, 'A long answer')
    .then(({ runId }) => scratch.services.runs.wait(runId));
  await scratch.stop();
  const records = await recordsOf(scratch);
  expect(records.find(({ type }) => type === 'prompt.skipped')?.data).toEqual({ reason: 'answered', by: 'clerk' });
  const document = await readFile(new URL('../../docs/recorder.md', import.meta.url), 'utf8');
  const [, table = ''] = document.split('| type | told when |');
  const rows = table.slice(0, table.indexOf('\n\n')).split('\n').slice(2);
  const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([a-z.]+)`/g)].map(([, type]) => type));
  expect(named.length).toBeGreaterThan(12);
  expect([...new Set(records.map(({ type }) => type))].sort()).toEqual(named.sort());
});

it('a bundle names the runs about which the trajectory tells nothing any more', async () => {
  const scratch = await gatewayForTest({});
  scratch.model.script(() => reply('Hello.'));
  const say = async (word: string) => {
    const { runId } = await scratch.channel.says({ sender: 'owner' }, word);
    return scratch.services.runs.wait(runId);
  };
  const first = await say('one');
  // Its delivery is told after its end.
  const types = async () => (await recordsOf(scratch).catch(() => [])).map(({ type }) => type);
  await expect.poll(types, { timeout: 10_000 }).toContain('delivery.ended');
  await rm(join(scratch.home.stateDir, 'logs', 'trajectory'), { recursive: true });
  const { sessionKey } = await say('two');
  const { missing } = await scratch.services.records.exportSession({ sessionKey, isRedacted: true });
  expect(missing).toEqual([`Run ${first.runId}: the trajectory tells nothing about it.`]);
});

async function recordsOf({ home }: ScratchGateway): Promise<readonly TraceRecord[]> {
  const dir = join(home.stateDir, 'logs', 'trajectory');
  const texts = await Promise.all((await readdir(dir)).map((file) => readFile(join(dir, file), 'utf8')));
  return texts.flatMap((text) => text.trim().split('\n')).map((line): TraceRecord => JSON.parse(line));
}
