import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { hang, reply } from '../testkit/model-server.ts';
import { on } from '../testkit/on.ts';
import { Housekeeping } from './upkeep/housekeeping.ts';
import { Retention } from './upkeep/retention.ts';

describe('words that must not be kept', () => {
  const SECRET = 'zq-launch-code';

  it.each([23, 3_000, 200_000])('are in no file after a gate blocked them: %d bytes', async (size) => {
    const scratch = await gatewayForTest({
      register: (hooks) =>
        on(hooks, 'before_agent_run', 'guard', ({ prompt }) =>
          prompt.includes(SECRET) ? { outcome: 'block', reason: 'no', message: 'No codes.' } : { outcome: 'pass' },
        ),
    });
    scratch.model.script(() => reply('Hello.'));
    await scratch.channel.asks({}, 'Hi', 'Hello.');
    const { runId } = await scratch.channel.says({}, SECRET.padEnd(size, '.'));
    await scratch.services.runs.wait(runId);
    await vi.waitFor(async () => expect(await filesWith(scratch.home.stateDir, SECRET)).toEqual([]));
    await scratch.stop();
    expect(await filesWith(scratch.home.stateDir, SECRET)).toEqual([]);
  });

  it('are in no file after their session was deleted, though a run was going on and another waited', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([reply(`I keep ${SECRET}`), hang()]);
    const { sessionKey } = await scratch.channel.asks({}, `Keep ${SECRET}`, /I keep/);
    const { runId: running } = await scratch.channel.says({}, `Still there, ${SECRET}?`);
    await scratch.model.waitForRequests(2);
    const { runId: waiting } = await scratch.channel.says({}, `And ${SECRET}?`);
    expect(await scratch.services.sessions.delete(sessionKey)).toBe(true);
    expect(await scratch.services.runs.wait(running)).toMatchObject({ status: 'stopped', outcome: null });
    expect(await scratch.services.runs.wait(waiting)).toMatchObject({ status: 'stopped', outcome: null });
    await vi.waitFor(async () => expect(await filesWith(scratch.home.stateDir, SECRET)).toEqual([]));
    await scratch.stop();
    expect(await filesWith(scratch.home.stateDir, SECRET)).toEqual([]);
    expect(scratch.model.requests).toHaveLength(2);
  });

  it('are in no file after their session was deleted, though they could not be delivered', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([reply(`I keep ${SECRET}`)]);
    const surface = { channel: 'gone', accountId: 'default', peer: { kind: 'direct', id: 'ann' } } as const;
    const inbound = { surface, sender: { id: 'ann' }, text: `Keep ${SECRET}`, at: 0 };
    const { runId, sessionKey } = await scratch.services.inbox.receive(inbound);
    await scratch.services.runs.wait(runId);
    await vi.waitFor(async () => expect(await scratch.store.count('deadLetters')).toBe(1));
    expect(await scratch.services.sessions.delete(sessionKey)).toBe(true);
    expect(await scratch.store.count('outbox')).toBe(0);
    await scratch.stop();
    expect(await filesWith(scratch.home.stateDir, SECRET)).toEqual([]);
  });
});

describe('a run', () => {
  it('can be waited for and stopped, before and after it has begun', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([hang()]);
    const { runId } = await scratch.channel.says({}, 'Think');
    const { runId: queued } = await scratch.channel.says({}, 'Think more');
    await scratch.model.waitForRequests(1);
    expect(await scratch.services.runs.stop(queued)).toBe(true);
    expect(await scratch.services.runs.wait(queued)).toMatchObject({ status: 'stopped' });
    expect(await scratch.services.runs.stop(runId)).toBe(true);
    expect(await scratch.services.runs.wait(runId)).toMatchObject({ status: 'stopped' });
    expect(await scratch.services.runs.stop(runId)).toBe(false);
    expect(await scratch.services.runs.stop('run_unknown')).toBe(false);
    await expect(scratch.services.runs.wait('run_unknown')).rejects.toMatchObject({ code: 'ATRIUM_RUN_UNKNOWN' });
    // A client that disconnected is not told.
    expect(scratch.channel.shown()).toEqual([]);
  });
});

describe('the debug logs', () => {
  it('hold the stream and what a cache would see, when they are switched on', async () => {
    const scratch = await gatewayForTest({ variables: { OPENCLAW_RAW_STREAM: '1', OPENCLAW_CACHE_TRACE: '1' } });
    scratch.model.script([reply('A streamed answer.')]);
    const { runId } = await scratch.channel.asks({}, 'Hello', 'A streamed answer.');
    await scratch.stop();
    const stream = await linesOf(scratch.home.path('logs/raw-stream.jsonl'));
    expect(
      stream
        .filter(({ evtType }) => evtType === 'text_delta')
        .map(({ delta }) => delta)
        .join(''),
    ).toBe('A streamed answer.');
    expect(stream.at(-1)).toMatchObject({ event: 'assistant_message_end', runId, rawText: 'A streamed answer.' });
    const [trace] = await linesOf(scratch.home.path('logs/cache-trace.jsonl'));
    expect(trace).toMatchObject({
      runId,
      messageRoles: ['user'],
      systemDigest: expect.any(String),
      messages: [{ role: 'user', content: 'Hello' }],
    });
  });
});

describe('housekeeping', () => {
  it('forgets requests and trajectories that are old', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([reply('Hello.')]);
    await scratch.channel.asks({}, 'Hi', 'Hello.');
    await scratch.stop();
    await scratch.start();
    const dir = scratch.home.path('logs/trajectory');
    const [young] = await readdir(dir);
    await writeFile(join(dir, 'ses_old.jsonl'), '{}\n');
    await utimes(join(dir, 'ses_old.jsonl'), 0, 0);
    const warnings: string[] = [];
    const keep = (days: number) =>
      new Housekeeping({
        retention: new Retention({
          store: scratch.store,
          trajectoryDir: dir,
          limits: { captures: { maxDays: days } },
          now: () => Date.now() + 86_400_000,
        }),
        attachments: { collect: async () => 0 },
        sizes: { sample: async () => {} },
        warn: (sentence) => warnings.push(sentence),
      });
    await keep(30).prune();
    expect(await readdir(dir)).toEqual([young]);
    expect(await scratch.store.count('captures')).toBe(2);
    await keep(0).prune();
    expect(await scratch.store.count('captures')).toBe(0);
    expect(await scratch.store.count('parts')).toBe(0);
    expect(warnings).toEqual([]);
  });
});

async function linesOf(file: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(file, 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function filesWith(dir: string, text: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const found = await Promise.all(files.map(async (file) => (await readFile(file)).includes(text)));
  return files.filter((_, index) => found[index]);
}
