import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunningGateway } from './fixtures/running-gateway.ts';

let running: RunningGateway;
let now: number;
beforeEach(async () => {
  running = await RunningGateway.create();
  now = Date.UTC(2026, 4, 6, 10);
  await running.start(() => ({}), { now: () => now });
});
afterEach(() => running.remove());

const KEY = 'agent:main:web:direct:tab-1';
const run = (...argv: readonly string[]) => running.home.run(argv);
const rawStream = () => readFile(join(running.home.stateDir, 'logs', 'raw-stream.jsonl'), 'utf8').catch(() => '');

/** The mirror answers, through the whole gateway. */
async function talk(sessionKey: string, text: string): Promise<void> {
  const { out, err } = await run('agent', '--session', sessionKey, '--message', text);
  expect(`${out}${err}`).toContain('I am Mirror');
}

describe('atrium debug', () => {
  it('switches logs on for one session and a while, and status says so', async () => {
    expect((await run('debug', 'status')).out).toBe('No debug log is on.\n');
    expect((await run('status')).out).toMatch(/^debug logs +off$/m);
    const on = await run('debug', 'on', 'raw-stream', '--session', KEY, '--for', '5m');
    expect(on).toMatchObject({ code: 0, err: '' });
    expect(on.out).toMatch(/^raw-stream +agent:main:web:direct:tab-1 +2026-05-06 10:05:00 +\S+raw-stream\.jsonl$/m);
    expect((await run('status')).out).toMatch(/^debug logs +ON: raw-stream of \S+ until 2026-05-06 10:05:00/m);
    now += 5 * 60_000;
    expect((await run('debug', 'status')).out).toBe('No debug log is on.\n');
  });

  it('writes what happens in that session and nothing of others, until it is switched off', async () => {
    await run('debug', 'on', 'raw-stream', '--session', 'agent:main:looked-at');
    await talk('agent:main:looked-at', 'the first words');
    await talk('agent:main:other', 'the other words');
    await run('debug', 'off');
    await talk('agent:main:looked-at', 'the last words');
    await running.stop();
    const events = (await rawStream())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events[0]).toMatchObject({
      event: 'model_request',
      messages: [{ role: 'user', content: 'the first words' }],
    });
    expect(events.at(-1)).toMatchObject({ event: 'assistant_message_end' });
    expect(JSON.stringify(events)).not.toMatch(/the other words|the last words/);
  });

  it('switches trajectories on for one session where they are off', async () => {
    await running.stop();
    expect(await run('config', 'set', 'recorder.trajectory.enabled', 'false')).toMatchObject({ code: 0 });
    await running.start(() => ({}), { now: () => now });
    expect((await run('status')).out).toMatch(/^trajectories +off/m);
    const on = await run('debug', 'on', 'trajectory', '--session', 'agent:main:looked-at');
    expect(on.out).toMatch(/^trajectory +agent:main:looked-at +2026-05-06 10:10:00 +\S+trajectory$/m);
    expect((await run('status')).out).toMatch(/^debug logs +ON: trajectory of agent:main:looked-at until /m);
    await talk('agent:main:looked-at', 'the first words');
    await talk('agent:main:other', 'the other words');
    now += 11 * 60_000;
    await talk('agent:main:looked-at', 'the last words');
    expect((await run('debug', 'status')).out).toBe('No debug log is on.\n');
    await running.stop();
    const dir = join(running.home.stateDir, 'logs', 'trajectory');
    const files = await readdir(dir);
    expect(files).toHaveLength(1);
    const records = (await readFile(join(dir, files[0] ?? ''), 'utf8')).trimEnd().split('\n');
    const types = records.map((line) => JSON.parse(line).type);
    expect(types[0]).toBe('session.started');
    expect(types).toContain('trace.metadata');
    expect(types.filter((type) => type === 'session.ended')).toHaveLength(1);
    expect(records.join('')).toContain('agent:main:looked-at');
    expect(records.join('')).not.toContain('agent:main:other');
  });

  it('refuses a key that no session can have, and switches nothing on', async () => {
    expect(await run('debug', 'on', '--session', 'agent:nobody:main')).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no agent "nobody".'),
    });
    expect(await run('debug', 'on', '--session', 'tab-1')).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no session "tab-1".'),
    });
    expect((await run('debug', 'status')).out).toBe('No debug log is on.\n');
  });

  it('switches a log on once that is named twice', async () => {
    const { out } = await run('debug', 'on', 'payload', 'payload');
    expect(out.match(/^payload/gm)).toHaveLength(1);
  });

  it('names the session that was probably meant', async () => {
    const { sessionKey } = running.filled;
    const typo = `${sessionKey}x`;
    const on = await run('debug', 'on', 'raw-stream', '--session', typo);
    expect(on.err).toContain(`it will be logged when it begins. Did you mean "${sessionKey}"?`);
    const off = await run('debug', 'off', '--session', sessionKey);
    expect(off.err).toContain(`No debug log was switched on for the session ${sessionKey}. Did you mean "${typo}"?`);
    expect((await run('debug', 'off', '--session', typo)).err).toBe('');
  });

  it('switches all logs on unless some are named, and off one by one', async () => {
    const on = (await running.home.runJson(['debug', 'on'])) as { active: object[] };
    expect(on.active).toHaveLength(4);
    expect(await running.home.runJson(['debug', 'off', 'payload', 'cache-trace'])).toMatchObject({
      active: [{ log: 'raw-stream' }, { log: 'model-payload', file: null }],
    });
  });

  it('says when there is no such session, and refuses times and logs that make no sense', async () => {
    expect((await run('debug', 'on', '--session', 'agent:main:nowhere')).err).toContain('There is no session');
    expect((await run('debug', 'on', '--for', '3d')).err).toContain('from 1s to 1d');
    expect((await run('debug', 'on', '--for', 'long')).code).toBe(2);
    expect((await run('debug', 'on', 'everything')).err).toContain('payload, raw-stream, cache-trace, model-payload');
  });

  it('needs a running gateway', async () => {
    await running.stop();
    expect((await run('debug', 'on')).err).toContain('No gateway is running');
  });
});
