import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readEnvironment } from '../config/environment.ts';
import { RunningGateway } from './fixtures/running-gateway.ts';

let running: RunningGateway;
beforeEach(async () => {
  // Without a limit of time, the housekeeping would remove the old requests of the fixture by itself.
  running = await RunningGateway.create({
    'openclaw.json':
      '{ agents: { list: [{ id: "main", default: true }] }, recorder: { captures: { maxDays: 36500 } } }',
  });
});
afterEach(() => running.remove());

const run = (...argv: readonly string[]) => running.home.run(argv);

describe('atrium prune', () => {
  it('says what would be removed, then removes it, and leaves what was said alone', async () => {
    await running.start(() => ({}), { now: () => Date.now() + 100 * 86_400_000 });
    const captures = await running.store.count('captures');
    const said = await running.store.count('transcript');
    expect(captures).toBeGreaterThan(0);
    const dry = await run('prune', '--older-than', '30d', '--dry-run');
    expect(dry.out).toMatch(new RegExp(`^captures +${captures}$`, 'm'));
    expect(dry.out).toContain('would be removed');
    expect(dry.out).not.toContain('transcripts');
    expect(await running.store.count('captures')).toBe(captures);
    expect((await run('status')).out).toMatch(/^of the store +captures \d/m);
    const pruned = await run('prune', '--older-than', '30d');
    expect(pruned.out).toMatch(new RegExp(`^captures +${captures}$`, 'm'));
    expect(pruned.out).toContain('Always kept:\n  usage of the last 62d\n');
    expect(await running.store.count('captures')).toBe(0);
    // Sizes that were measured before are not told any more.
    expect((await run('status')).out).not.toMatch(/^of the store .*captures/m);
    expect(await running.store.count('transcript')).toBe(said);
    // The session has not ended, so that even its name does not help.
    await run('prune', '--older-than', '0s', '--what', 'transcripts');
    expect(await running.store.count('transcript')).toBe(said);
  });

  it('goes by the configured limits unless an age is given, and refuses names that there are not', async () => {
    await running.start();
    const { pruned } = (await running.home.runJson(['prune'])) as { pruned: { what: string }[] };
    expect(pruned.map(({ what }) => what)).toEqual(['captures', 'trajectories', 'children']);
    expect((await run('prune', '--what', 'everything')).err).toContain('one of captures, trajectories');
    expect((await run('prune', '--older-than', 'long')).code).toBe(2);
  });
});

it('limits by size hold in the housekeeping of a gateway, and never remove what was said in an open session', async () => {
  await running.home.write(
    'openclaw.json',
    '{ recorder: { transcripts: { maxBytes: 0 }, usage: { maxBytes: 0 }, approvals: { maxBytes: 0 }, hookRecords: { maxBytes: 0 } } }',
  );
  const said = await running.store.count('transcript');
  const [{ sessionId = '' } = {}] = await running.store.select('sessions', { where: { endedAt: null }, limit: 1 });
  const row = { sessionId: 'ses_over', position: 1, runId: 'run_over', at: 1, kind: 'message' as const };
  await running.store.commit(
    [
      { insert: 'transcript', row: { ...row, message: { role: 'user', content: 'x' }, shown: null, meta: {} } },
      {
        insert: 'sessions',
        row: {
          ...{ sessionId: 'ses_over', sessionKey: 'agent:main:over', agentId: 'main', startedAt: 1, activeAt: 1 },
          ...{ endedAt: 2, endReason: 'idle', surface: null, resumedFrom: null, endToTell: false, state: {} },
          ...{ title: null, archivedAt: null, seenAt: null, branchOf: null, branchAt: null },
        },
      },
    ],
    { site: 'session' },
  );
  await running.start(undefined, { now: () => Date.now() + 100 * 86_400_000 });
  await vi.waitFor(async () => expect(await running.store.count('usage')).toBe(0), 10_000);
  await vi.waitFor(async () => expect(await running.store.count('transcript', { sessionId: 'ses_over' })).toBe(0));
  expect(await running.store.count('transcript', { sessionId })).toBeGreaterThan(0);
  expect(await running.store.count('transcript')).toBe(said);
  expect(await running.store.count('approvals', { status: { not: 'waiting' } })).toBe(0);
  expect((await run('prune', '--dry-run')).out).toMatch(/^transcripts +0$/m);
  await vi.waitFor(async () =>
    expect((await run('status')).out).toMatch(/^of the store +.*transcripts [\d.]+ (?:B|KB|kB|KiB|bytes)/m),
  );
});

it('atrium status says how much room the records take', async () => {
  await running.start();
  expect((await run('status')).out).toMatch(/^records +store [\d.]+ (?:KB|MB|KiB|MiB|kB)/m);
});

describe('atrium doctor', () => {
  it('says that records are fine, and what an export left behind', async () => {
    await mkdir(join(running.home.stateDir, 'exports', 'trajectory-x.incomplete'), { recursive: true });
    const { out } = await run('doctor');
    expect(out).toMatch(/^records +ok/m);
    expect(out).toMatch(/note: An export was cut short\. Delete \S+trajectory-x\.incomplete\./);
  });

  it('says that a debug log is on, and that records cannot be written', async () => {
    const env = { OPENCLAW_TRAJECTORY_DIR: join(running.home.stateDir, 'openclaw.json', 'trajectory') };
    const { code, out } = await running.home.run(['doctor'], { env });
    expect(code).toBe(1);
    expect(out).toContain('wrong: Records cannot be written to');
    await running.start();
    await run('debug', 'on', 'raw-stream', '--for', '1h');
    expect((await run('doctor')).out).toContain('A debug log is on: raw-stream until');
  });

  it('asks the gateway where it writes, which may have been started with other variables', async () => {
    const { home, stateDir } = running.home;
    const started = (variables: Record<string, string>) =>
      running.start(() => ({}), {
        environment: readEnvironment({ HOME: home, TZ: 'UTC', ...variables }, () => home, home),
      });
    await started({
      OPENCLAW_TRAJECTORY: '0',
      OPENCLAW_RAW_STREAM: '1',
      OPENCLAW_RAW_STREAM_PATH: join(stateDir, 'openclaw.json', 'raw.jsonl'),
    });
    const { code, out } = await run('doctor');
    expect(code).toBe(1);
    expect(out).toContain(`wrong: Records cannot be written to ${join(stateDir, 'openclaw.json')}.`);
    expect(out).toContain('note: No trajectories are written');
    const status = await run('status');
    expect(status.out).toMatch(/^trajectories +off /m);
    await running.home.run(['agent', '--message', 'Hello']);
    await vi.waitFor(
      async () => expect((await run('status')).out).toMatch(/Records cannot be written to \S+raw\.jsonl/),
      {
        timeout: 20_000,
        interval: 200,
      },
    );
    await running.stop();
    await started({ OPENCLAW_TRAJECTORY_DIR: join(stateDir, 'elsewhere') });
    expect((await run('status')).out).toMatch(/^trajectories +\S+\/elsewhere$/m);
  });

  it('counts trajectories that have reached their limit', async () => {
    const dir = join(running.home.stateDir, 'logs', 'trajectory');
    await mkdir(dir, { recursive: true });
    const line = (type: string) => `{"traceSchema":"openclaw-trajectory","type":"${type}"}\n`;
    const full = line('model.completed').repeat(200_000);
    await writeFile(join(dir, 'ses_full.jsonl'), `${full}${line('trace.truncated')}`);
    await writeFile(join(dir, 'ses_large.jsonl'), full);
    await writeFile(join(dir, 'ses_small.jsonl'), line('trace.truncated'));
    const { code, out } = await run('doctor');
    expect(out).toMatch(/note: The trajectory of one session has reached the limit of 10 MB/);
    expect(code).toBe(0);
  });
});
