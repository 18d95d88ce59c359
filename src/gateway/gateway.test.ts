import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { gatewayForTest } from '../testkit/gateway-for-test.ts';
import { hang, reply } from '../testkit/model-server.ts';
import { Housekeeping } from './housekeeping.ts';

describe('a session', () => {
  it('that an operator ends is over, and the next message begins another', async () => {
    const seen: object[] = [];
    const scratch = await gatewayForTest({
      register: (hooks) => {
        hooks.register({ hook: 'before_reset', id: 's', owner: 's', handler: (event) => void seen.push(event) });
        hooks.register({ hook: 'session_end', id: 's', owner: 's', handler: (event) => void seen.push(event) });
      },
    });
    scratch.model.script([reply('Hello Ann.'), reply('Who are you?')]);
    const { sessionKey } = await scratch.channel.says({}, 'I am Ann');
    await scratch.channel.expectDelivered('Hello Ann.');
    expect(await scratch.services.sessions.end(sessionKey, 'reset')).toBe(true);
    expect(await scratch.services.sessions.end(sessionKey, 'reset')).toBe(false);
    expect(seen).toMatchObject([
      { reason: 'reset', messages: [{}, {}] },
      { reason: 'reset', sessionKey, messageCount: 2 },
    ]);
    await scratch.channel.says({}, 'Hello');
    await scratch.channel.expectDelivered('Who are you?');
    expect(scratch.model.requests[1]?.body).not.toContain('Ann');
  });

  it('that two operators end at once is ended by one of them', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([reply('Hello.')]);
    const { sessionKey } = await scratch.channel.says({}, 'Hi');
    await scratch.channel.expectDelivered('Hello.');
    const ended = await Promise.all([1, 2, 3].map(() => scratch.services.sessions.end(sessionKey, 'reset')));
    expect(ended.sort()).toEqual([false, false, true]);
  });

  it('that is deleted takes everything with it that was said', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script(() => reply('I keep it.'));
    const { sessionKey } = await scratch.channel.says({ sender: 'ann' }, 'xyzzy-secret');
    await scratch.channel.expectDelivered('I keep it.');
    const { runId: other } = await scratch.channel.says({ sender: 'bob' }, 'Hello');
    await scratch.channel.expectDelivered('I keep it.');
    await scratch.stop();
    await scratch.start();
    expect(await scratch.services.sessions.delete(sessionKey)).toBe(true);
    expect(await scratch.services.sessions.delete('agent:main:unknown')).toBe(false);
    for (const table of ['inbox', 'transcript', 'captures', 'parts', 'outbox', 'runs', 'sessions'] as const) {
      expect(JSON.stringify(await scratch.store.select(table)), table).not.toContain('xyzzy');
    }
    expect(await scratch.store.count('captures', { runId: other })).toBe(2);
    expect(await scratch.services.store.count('transcript')).toBe(2);
  });
});

describe('words that must not be kept', () => {
  const SECRET = 'zq-launch-code';

  it.each([23, 3_000, 200_000])('are in no file after a gate blocked them: %d bytes', async (size) => {
    const scratch = await gatewayForTest({
      register: (hooks) =>
        hooks.register({
          hook: 'before_agent_run',
          id: 'guard',
          owner: 'guard',
          handler: ({ prompt }) =>
            prompt.includes(SECRET) ? { outcome: 'block', reason: 'no', message: 'No codes.' } : { outcome: 'pass' },
        }),
    });
    scratch.model.script(() => reply('Hello.'));
    await scratch.channel.says({}, 'Hi');
    await scratch.channel.expectDelivered('Hello.');
    const { runId } = await scratch.channel.says({}, SECRET.padEnd(size, '.'));
    await scratch.services.runs.wait(runId);
    await setTimeout(300);
    expect(await filesWith(scratch.home.stateDir, SECRET)).toEqual([]);
    await scratch.stop();
    expect(await filesWith(scratch.home.stateDir, SECRET)).toEqual([]);
  });

  it('are in no file after their session was deleted, though a run was going on and another waited', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([reply(`I keep ${SECRET}`), hang()]);
    const { sessionKey } = await scratch.channel.says({}, `Keep ${SECRET}`);
    await scratch.channel.expectDelivered(/I keep/);
    const { runId: running } = await scratch.channel.says({}, `Still there, ${SECRET}?`);
    await scratch.model.waitForRequests(2);
    const { runId: waiting } = await scratch.channel.says({}, `And ${SECRET}?`);
    expect(await scratch.services.sessions.delete(sessionKey)).toBe(true);
    expect(await scratch.services.runs.wait(running)).toMatchObject({ status: 'stopped', outcome: null });
    expect(await scratch.services.runs.wait(waiting)).toMatchObject({ status: 'stopped', outcome: null });
    await setTimeout(300);
    expect(await filesWith(scratch.home.stateDir, SECRET)).toEqual([]);
    await scratch.stop();
    expect(await filesWith(scratch.home.stateDir, SECRET)).toEqual([]);
    expect(scratch.model.requests).toHaveLength(2);
  });

  it('are in no file after their session was deleted, though they could not be delivered', async () => {
    const scratch = await gatewayForTest();
    scratch.model.script([reply(`I keep ${SECRET}`)]);
    const surface = { channel: 'gone', accountId: 'default', peer: { kind: 'direct', id: 'ann' } } as const;
    const inbound = { surface, sender: { id: 'ann' }, text: `Keep ${SECRET}`, at: 0 };
    const { runId, sessionKey } = await scratch.services.receive(inbound);
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
    // Whoever left does not want to be told.
    expect(scratch.channel.shown()).toEqual([]);
  });
});

describe('the debug logs', () => {
  it('hold the stream and what a cache would see, when they are switched on', async () => {
    const scratch = await gatewayForTest({ variables: { OPENCLAW_RAW_STREAM: '1', OPENCLAW_CACHE_TRACE: '1' } });
    scratch.model.script([reply('A streamed answer.')]);
    const { runId } = await scratch.channel.says({}, 'Hello');
    await scratch.channel.expectDelivered('A streamed answer.');
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
    await scratch.channel.says({}, 'Hi');
    await scratch.channel.expectDelivered('Hello.');
    await scratch.stop();
    await scratch.start();
    const dir = scratch.home.path('logs/trajectory');
    const [young] = await readdir(dir);
    await writeFile(join(dir, 'ses_old.jsonl'), '{}\n');
    await utimes(join(dir, 'ses_old.jsonl'), 0, 0);
    const warnings: string[] = [];
    const keep = (days: number) =>
      new Housekeeping({
        store: scratch.store,
        now: () => Date.now() + 86_400_000,
        warn: (sentence) => warnings.push(sentence),
        trajectoryDir: dir,
        limits: { maxDays: days },
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
