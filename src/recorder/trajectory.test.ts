import { appendFile, chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderForTest } from '../testkit/folder-for-test.ts';
import { AppendedFiles, type AppendedLine } from './appended-files.ts';
import { MAX_TRACE_EVENT_BYTES, Trajectory, type TrajectorySettings } from './trajectory.ts';

let dir: string;
let warnings: string[];
beforeEach(async () => {
  dir = await folderForTest();
  warnings = [];
});

const CONTEXT = {
  sessionId: 'ses_1',
  sessionKey: 'agent:main:main',
  runId: 'run_1',
  workspaceDir: '/home/ana/workspace',
  provider: 'anthropic',
  modelId: 'claude',
  modelApi: 'anthropic-messages',
};

function open(settings: Partial<TrajectorySettings> = {}, maxPendingBytes?: number): Trajectory {
  const warn = (message: string) => void warnings.push(message);
  const files = new AppendedFiles({ warn, maxPendingBytes, isLocal: () => true });
  return new Trajectory({ dir: path.join(dir, 'trajectory'), files, ...settings });
}

async function recordsOf(trajectory: Trajectory, sessionId = 'ses_1') {
  await trajectory.drain();
  const text = await readFile(trajectory.fileOf(sessionId), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('the trajectory', () => {
  it('writes a record as its readers expect it', async () => {
    const trajectory = open();
    trajectory.record(CONTEXT, 'prompt.submitted', { prompt: 'hello' }, Date.UTC(2026, 0, 2));
    expect(await recordsOf(trajectory)).toEqual([
      {
        traceSchema: 'openclaw-trajectory',
        schemaVersion: 1,
        traceId: 'ses_1',
        source: 'runtime',
        type: 'prompt.submitted',
        ts: '2026-01-02T00:00:00.000Z',
        seq: 1,
        sourceSeq: 1,
        ...CONTEXT,
        data: { prompt: 'hello' },
      },
    ]);
  });

  it('knows how long each line is, whatever its number and its texts are', () => {
    const lines: AppendedLine[] = [];
    const files = { append: (_: string, line: AppendedLine) => lines.push(line) } as unknown as AppendedFiles;
    const trajectory = open({ files });
    for (let seq = 1; seq <= 101; seq++)
      trajectory.record(
        CONTEXT,
        'context.compiled',
        { text: 'Größe', systemPrompt: `${seq % 3} „so“ `.repeat(300) },
        seq,
      );
    let size = 0;
    for (const line of lines) {
      const texts: string[] = [];
      const bytes = line.write({ size, lastLine: undefined }, texts) ?? -1;
      expect(bytes).toBe(Buffer.byteLength(texts.join('')));
      size += bytes + 1;
    }
    expect(lines).toHaveLength(101);
  });

  it('writes times as readers expect them', async () => {
    const trajectory = open();
    const times = [0, 999, 1_000, 1_767_225_599_999.9, Date.UTC(2026, 1, 28, 23, 59, 59, 7), -1];
    for (const at of times) trajectory.record(CONTEXT, 'prompt.submitted', {}, at);
    const expected = times.map((at) => new Date(Math.floor(at)).toISOString());
    expect((await recordsOf(trajectory)).map(({ ts }) => ts)).toEqual(expected);
  });

  it('keeps one private file a session, numbered across restarts', async () => {
    const before = open();
    for (let index = 0; index < 3; index++) before.record(CONTEXT, 'tool.started', { index }, index);
    before.record({ sessionId: 'ses_2' }, 'session.started', {}, 0);
    await before.drain();
    const after = open();
    after.record(CONTEXT, 'tool.ended', { index: 3 }, 3);
    const records = await recordsOf(after);
    expect(records.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(records.map(({ data }) => data.index)).toEqual([0, 1, 2, 3]);
    expect(await recordsOf(after, 'ses_2')).toHaveLength(1);
    expect((await stat(after.fileOf('ses_1'))).mode & 0o777).toBe(0o600);
    expect((await stat(path.join(dir, 'trajectory'))).mode & 0o777).toBe(0o700);
  });

  it('goes on behind a line that a crash cut in half', async () => {
    const trajectory = open();
    await mkdir(path.join(dir, 'trajectory'));
    await writeFile(trajectory.fileOf('ses_1'), '{"traceSchema":"openclaw-tra');
    trajectory.record(CONTEXT, 'session.started', {}, 0);
    await trajectory.drain();
    const lines = (await readFile(trajectory.fileOf('ses_1'), 'utf8')).trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[1] ?? '').type).toBe('session.started');
  });

  it('numbers on from the last whole line, however many behind it were cut', async () => {
    const before = open();
    before.record(CONTEXT, 'session.started', {}, 0);
    before.record(CONTEXT, 'session.ended', {}, 0);
    await before.drain();
    for (let cut = 1; cut <= 2; cut++)
      await appendFile(before.fileOf('ses_1'), `{"traceSchema":"openclaw-tra${'\n'.repeat(2 - cut)}`);
    const after = open();
    after.record(CONTEXT, 'session.started', {}, 0);
    await after.drain();
    const lines = (await readFile(after.fileOf('ses_1'), 'utf8')).trimEnd().split('\n');
    expect(lines).toHaveLength(5);
    expect(JSON.parse(lines[4] ?? '')).toMatchObject({ type: 'session.started', seq: 3 });
  });

  it('cuts what is too long, too wide and too deep, and says so', async () => {
    const trajectory = open();
    const deep = { a: { b: { c: { d: { e: { f: { g: 1 } } } } } } };
    const wide = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, index]));
    const list = Array.from({ length: 100 }, (_, index) => index);
    trajectory.record(CONTEXT, 'trace.metadata', { text: 'é'.repeat(40_000), deep, wide, list }, 0);
    const [{ data }] = await recordsOf(trajectory);
    expect(data.text).toHaveLength(32_768 + '…[7232 more characters left out]'.length);
    expect(JSON.stringify(data.deep)).toContain('deeper values left out');
    expect(Object.keys(data.wide)).toHaveLength(65);
    expect(data.list.at(-1)).toBe('[36 more items left out]');
  });

  it('replaces the data of a record that is too large as a whole', async () => {
    const trajectory = open();
    trajectory.record(CONTEXT, 'trace.artifacts', { texts: Array.from({ length: 30 }, () => 'x'.repeat(30_000)) }, 0);
    const [{ data }] = await recordsOf(trajectory);
    expect(data).toMatchObject({ truncated: true, limitBytes: MAX_TRACE_EVENT_BYTES });
    expect(data.originalBytes).toBeGreaterThan(900_000);
  });

  it('ends a file at its limit with one record that says so, also for the process after', async () => {
    const maxBytes = 64 * 1024;
    for (let round = 0; round < 2; round++) {
      const trajectory = open({ maxBytes });
      for (let index = 0; index < 20; index++) {
        trajectory.record(CONTEXT, 'tool.ended', { text: 'x'.repeat(9_000), type: 'trace.truncated' }, 0);
      }
      trajectory.record(CONTEXT, 'tool.ended', { text: 'small' }, 0);
      const types = (await recordsOf(trajectory)).map(({ type }) => type);
      expect(types.filter((type) => type === 'trace.truncated')).toHaveLength(1);
      expect(types.at(-1)).toBe('trace.truncated');
      expect((await stat(trajectory.fileOf('ses_1'))).size).toBeLessThanOrEqual(maxBytes);
    }
  });

  it('holds no secrets', async () => {
    const trajectory = open();
    const secret = `sk-${'abcdefgh'.repeat(5)}`;
    trajectory.record(CONTEXT, 'tool.started', { params: { header: `Bearer ${secret}`, apiKey: 'plain' } }, 0);
    trajectory.record(CONTEXT, 'tool.ended', { content: `${'x'.repeat(32_760)}${secret}` }, 0);
    const text = JSON.stringify(await recordsOf(trajectory));
    expect(text).not.toContain('abcdefgh');
    expect(text).not.toContain('plain');
  });

  it('forgets a session with what was on its way to its file, and begins anew', async () => {
    const trajectory = open();
    await trajectory.forget('ses_1');
    trajectory.record(CONTEXT, 'prompt.submitted', { prompt: 'secret' }, 0);
    await trajectory.drain();
    trajectory.record(CONTEXT, 'prompt.submitted', { prompt: 'secret' }, 0);
    trajectory.record({ ...CONTEXT, sessionId: 'ses_2' }, 'prompt.submitted', {}, 0);
    await trajectory.forget('ses_1');
    await trajectory.drain();
    expect(await readdir(path.join(dir, 'trajectory'))).toEqual(['ses_2.jsonl']);
    trajectory.record(CONTEXT, 'session.ended', {}, 0);
    expect(await recordsOf(trajectory)).toMatchObject([{ type: 'session.ended', seq: 1 }]);
    expect(warnings).toEqual([]);
  });

  it('writes nothing when it is switched off', async () => {
    const trajectory = open({ isOn: () => false });
    trajectory.record(CONTEXT, 'session.started', {}, 0);
    await trajectory.drain();
    expect(await readdir(dir)).toEqual([]);
  });

  it('warns once about a folder that cannot be written, and goes on', async () => {
    await writeFile(path.join(dir, 'trajectory'), 'a file where the folder should be');
    const trajectory = open();
    for (let index = 0; index < 5; index++) {
      trajectory.record({ sessionId: `ses_${index}` }, 'session.started', {}, 0);
      await trajectory.drain();
    }
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('cannot be written');
    await rm(path.join(dir, 'trajectory'));
    trajectory.record(CONTEXT, 'session.started', {}, 0);
    expect(await recordsOf(trajectory)).toHaveLength(1);
  });

  it('follows no link that stands in place of its file, and makes no file out of a path', async () => {
    const victim = path.join(dir, 'victim');
    await writeFile(victim, 'mine');
    await mkdir(path.join(dir, 'trajectory'));
    const trajectory = open();
    await symlink(victim, trajectory.fileOf('ses_1'));
    trajectory.record(CONTEXT, 'session.started', {}, 0);
    trajectory.record({ sessionId: '../../victim' }, 'session.started', {}, 0);
    await trajectory.drain();
    expect(await readFile(victim, 'utf8')).toBe('mine');
    expect(warnings[0]).toContain('it is a link');
    expect(path.dirname(trajectory.fileOf('../../victim'))).toBe(path.join(dir, 'trajectory'));
    expect(await recordsOf(trajectory, '../../victim')).toHaveLength(1);
  });

  it('makes a file private that was open to others', async () => {
    const trajectory = open();
    await mkdir(path.join(dir, 'trajectory'));
    await writeFile(trajectory.fileOf('ses_1'), '');
    await chmod(trajectory.fileOf('ses_1'), 0o644);
    trajectory.record(CONTEXT, 'session.started', {}, 0);
    await trajectory.drain();
    expect((await stat(trajectory.fileOf('ses_1'))).mode & 0o777).toBe(0o600);
  });

  it('drops records rather than filling the memory', async () => {
    const trajectory = open({}, 10_000);
    for (let index = 0; index < 100; index++) trajectory.record(CONTEXT, 'tool.ended', { text: 'x'.repeat(1_000) }, 0);
    expect((await recordsOf(trajectory)).length).toBeLessThan(10);
    expect(warnings).toHaveLength(1);
    trajectory.record(CONTEXT, 'session.ended', {}, 0);
    expect((await recordsOf(trajectory)).at(-1).type).toBe('session.ended');
  });

  it('takes anything for data', async () => {
    const trajectory = open();
    const circle: Record<string, unknown> = { when: new Error('no'), big: 1n, not: Number.NaN, none: undefined };
    circle.self = circle;
    trajectory.record(CONTEXT, 'trace.metadata', circle, 0);
    const [{ data }] = await recordsOf(trajectory);
    expect(data).toMatchObject({ when: 'Error: no', big: '1', not: 'NaN' });
  });
});
