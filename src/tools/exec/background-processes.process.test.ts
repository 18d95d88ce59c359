// Commands in the background, with real processes: how they are looked after, and what is known of them after the
// gateway was gone. "The next gateway" is a second instance on the same store and folder.

import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { SessionSight } from '../../sessions/session-visibility.ts';
import type { ProcessRow } from '../../store/tables.ts';
import { toolContextForTest } from '../../testkit/tool-context.ts';
import { runTool } from '../run-tool.ts';
import type { BackgroundProcesses } from './background-processes.ts';
import { ExecRig } from './fixtures/exec-rig.ts';
import { pidTokenOf } from './pid-token.ts';
import { createProcessTool } from './process.ts';

const MINE = { agentId: 'main', sessionKey: 'agent:main:main' };

async function started(rig: ExecRig, command: string, context = {}): Promise<string> {
  const { content, details } = await rig.runApproved({ command, background: true }, context);
  expect(content).toMatch(/^Runs in the background as proc_/);
  return (details as { id: string }).id;
}

async function rowOf(rig: ExecRig, id: string): Promise<ProcessRow> {
  const [row] = await rig.store.select('processes', { where: { id } });
  if (!row) throw new Error(`there is no row ${id}`);
  return row;
}

async function ended(rig: ExecRig, id: string): Promise<ProcessRow> {
  return until(
    () => rowOf(rig, id),
    ({ status }) => status !== 'running',
  );
}

async function until<T>(look: () => Promise<T>, isGood: (found: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 500; tries++) {
    const found = await look();
    if (isGood(found)) return found;
    await sleep(20);
  }
  throw new Error('it did not come to pass');
}

async function openedFor(rig: ExecRig, settings = {}): Promise<BackgroundProcesses> {
  const next = rig.reopened({ lookEveryMs: 20, ...settings });
  await next.open();
  onTestFinished(() => next.close());
  return next;
}

describe('a command in the background', () => {
  it('goes on while it is polled, and says how it ended', async () => {
    const rig = await ExecRig.create();
    const id = await started(rig, 'echo one; while [ ! -e go ]; do sleep 0.02; done; echo two >&2; exit 4');
    const first = await rig.look({ action: 'poll', id, waitSeconds: 10 });
    expect(first.content).toBe('one\n\n[Running. Nothing more so far; next offset 4.]');
    expect((await rig.look({ action: 'poll', id, offset: 4 })).content).toMatch(/^\[No new output\.\]/);
    await rig.scratch.write('go', '');
    expect((await rig.look({ action: 'poll', id, offset: 4, waitSeconds: 10 })).content).toMatch(/^two\n/);
    expect(await ended(rig, id)).toMatchObject({ status: 'ended', exitCode: 4, signal: null });
    expect((await rig.look({ action: 'log', id })).content).toBe(
      'one\ntwo\n\n[Ended with exit code 4. Nothing more so far; next offset 8.]',
    );
    const { content } = await rig.look({ action: 'list' });
    expect(JSON.parse(content)).toMatchObject({ count: 1, processes: [{ id, status: 'ended', exitCode: 4 }] });
    for (const name of await readdir(rig.dir)) expect((await stat(join(rig.dir, name))).mode & 0o777).toBe(0o600);
  });

  it('by a rule is run as its words, in the environment of commands', async () => {
    const rig = await ExecRig.create();
    const bin = join(rig.scratch.outsideDir, 'bin');
    await chmod(await rig.scratch.writeOutside('bin/show', '#!/bin/sh\nprintf "<%s>" "$@"; env\n'), 0o755);
    const other = await ExecRig.create({
      policy: { allow: ['show *'] },
      variables: { PATH: `${bin}:/usr/bin:/bin`, SECRET: 'swordfish' },
    });
    const { details } = await other.run({ command: `show 'a; touch x' "" '$(id)'`, background: true });
    const { id } = details as { id: string };
    await ended(other, id);
    const { content } = await other.look({ action: 'log', id });
    expect(content).toMatch(/^<a; touch x><><\$\(id\)>/);
    expect(content).not.toMatch(/swordfish|_atrium/);
    expect(await readdir(other.scratch.workspaceDir)).toEqual([]);
  });

  it('is killed with all that it started; one that will not end is made to', async () => {
    const rig = await ExecRig.create();
    const polite = await started(rig, "trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.05; done");
    await rig.look({ action: 'poll', id: polite, waitSeconds: 10 });
    expect(await rig.look({ action: 'kill', id: polite })).toMatchObject({ content: `${polite}: Killed by SIGTERM.` });
    expect((await rig.look({ action: 'log', id: polite })).content).toMatch(/^up\n(?:.*\n)?bye\n/);
    expect(await rowOf(rig, polite)).toMatchObject({ status: 'killed', exitCode: 7 });

    const stubborn = await started(rig, "trap '' TERM; echo up; while :; do sleep 1; done");
    await rig.look({ action: 'poll', id: stubborn, waitSeconds: 10 });
    expect((await rig.look({ action: 'kill', id: stubborn })).content).toMatch(/Killed by SIGKILL/);
    const { pid } = await rowOf(rig, stubborn);
    await until(
      () => pidTokenOf(pid ?? 0),
      (token) => token === undefined,
    );
    expect((await rig.look({ action: 'kill', id: stubborn })).content).toMatch(/Killed by SIGKILL/);
  });

  it('is seen by its own session only, or by its agent when the operator says so', async () => {
    const rig = await ExecRig.create();
    const id = await started(rig, 'sleep 60');
    const elsewhere = { sessionKey: 'agent:main:other' };
    expect(JSON.parse((await rig.look({ action: 'list' }, elsewhere)).content)).toMatchObject({ count: 0 });
    for (const action of ['poll', 'log', 'kill']) {
      const output = await rig.look({ action, id }, elsewhere);
      expect(output).toMatchObject({ isError: true, content: expect.stringMatching(/There is no command/) });
    }
    expect(await rowOf(rig, id)).toMatchObject({ status: 'running' });
    expect(await rig.look({ action: 'kill' })).toMatchObject({
      isError: true,
      content: expect.stringMatching(/id is/),
    });

    const open = await ExecRig.create({ visibility: 'agent' });
    const theirs = await started(open, 'sleep 60', elsewhere);
    expect((await open.look({ action: 'poll', id: theirs })).content).toMatch(/Running/);
    expect(await open.look({ action: 'poll', id: theirs }, { agentId: 'other' })).toMatchObject({ isError: true });
  });

  it('is one of at most sixteen', async () => {
    const rig = await ExecRig.create();
    const outputs = await Promise.all(
      Array.from({ length: 18 }, () => rig.runApproved({ command: 'sleep 60', background: true })),
    );
    const refused = outputs.filter(({ isError }) => isError);
    expect(refused).toHaveLength(2);
    expect(refused[0]?.content).toMatch(/16 commands of this session/);
    await started(rig, 'true', { sessionKey: 'agent:main:other' });
  });

  it('that prints without end keeps the beginning, and is not held up', async () => {
    const rig = await ExecRig.create({ processes: { maxOutputBytes: 4_096 } });
    const id = await started(rig, 'seq 1 100000; echo done >&2; exit 5');
    expect(await ended(rig, id)).toMatchObject({ status: 'ended', exitCode: 5 });
    const text = await readFile((await rowOf(rig, id)).outputFile, 'utf8');
    expect(text).toMatch(/^1\n2\n3\n/);
    expect(text).toMatch(/The output went on; what came after this is not kept\.\]\n$/);
    expect(text.length).toBeLessThan(4_300);
  });

  it('that cannot be written down is not begun', async () => {
    const rig = await ExecRig.create();
    const commit = rig.store.commit.bind(rig.store);
    rig.store.commit = async () => Promise.reject(new Error('the disk is full'));
    const output = await rig.runApproved({ command: 'touch begun', background: true });
    rig.store.commit = commit;
    expect(output).toMatchObject({ isError: true, content: 'the disk is full' });
    await sleep(100);
    expect(await readdir(rig.scratch.workspaceDir)).toEqual([]);
    expect(await readdir(rig.dir)).toEqual([]);
  });
});

describe('after a restart, a command', () => {
  it('that still runs is watched and can be killed', async () => {
    const rig = await ExecRig.create();
    const [ends, stays] = [
      await started(rig, 'while [ ! -e go ]; do sleep 0.02; done; exit 6'),
      await started(rig, 'sleep 60'),
    ];
    rig.processes.close();
    const next = await openedFor(rig);
    expect(await rowOf(rig, ends)).toMatchObject({ status: 'running' });
    await rig.scratch.write('go', '');
    expect(await ended(rig, ends)).toMatchObject({ status: 'ended', exitCode: 6 });
    expect(await next.kill(await rowOf(rig, stays))).toMatchObject({ status: 'killed', signal: 'SIGTERM' });
    expect(await rowOf(rig, stays)).toMatchObject({ status: 'killed' });
  });

  it('that ended meanwhile is known by what it left behind', async () => {
    const rig = await ExecRig.create();
    const id = await started(rig, 'while [ ! -e go ]; do sleep 0.02; done; exit 3');
    rig.processes.close();
    const { pid } = await rowOf(rig, id);
    await rig.scratch.write('go', '');
    await until(
      () => pidTokenOf(pid ?? 0),
      (token) => token === undefined,
    );
    expect(await rowOf(rig, id)).toMatchObject({ status: 'running' });
    await openedFor(rig);
    expect(await rowOf(rig, id)).toMatchObject({ status: 'ended', exitCode: 3 });
  });

  it('that is gone without a word is lost, and whoever has its number now is left alone', async () => {
    const rig = await ExecRig.create();
    const bystander = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    onTestFinished(() => void bystander.kill('SIGKILL'));
    const pid = bystander.pid ?? 0;
    const base = { ...MINE, runId: 'run_x', command: 'x', cwd: '.', startedAt: 1, endedAt: null, exitCode: null };
    const row = { ...base, signal: null, status: 'running' as const, outputFile: join(rig.dir, 'none.log') };
    const rows = [
      { ...row, id: 'proc_reused', pid, pidToken: 'another start' },
      { ...row, id: 'proc_early', pid: null, pidToken: null },
    ];
    await rig.store.commit(
      rows.map((each) => ({ insert: 'processes', row: each }) as const),
      { site: 'process' },
    );
    const next = await openedFor(rig);
    for (const { id } of rows) expect(await rowOf(rig, id)).toMatchObject({ status: 'lost', exitCode: null });
    expect((await rig.look({ action: 'poll', id: 'proc_reused' })).content).toMatch(/Lost/);
    await next.kill({ ...row, ...rows[0], id: 'proc_reused', pid, pidToken: 'another start' });
    expect(isThere(bystander)).toBe(true);
  });

  it('whose gateway died before it was to begin has not begun', async () => {
    const rig = await ExecRig.create();
    const { store } = rig;
    const commit = store.commit.bind(store);
    // The row is there, and the gateway never comes back from writing it.
    store.commit = async (writes, options) => {
      await commit(writes, options);
      throw new Error('died');
    };
    await rig.runApproved({ command: 'touch begun', background: true });
    store.commit = commit;
    const [row] = await store.select('processes');
    await until(
      () => pidTokenOf(row?.pid ?? 0),
      (token) => token === undefined,
    );
    await openedFor(rig);
    expect(await store.select('processes')).toMatchObject([{ status: 'lost' }]);
    expect(await readdir(rig.scratch.workspaceDir)).toEqual([]);
  });
});

describe('pruning', () => {
  it('removes what ended more than seven days ago, with its files, and nothing else', async () => {
    let time = Date.now();
    const rig = await ExecRig.create({ now: () => time });
    const old = await started(rig, 'echo old');
    await ended(rig, old);
    const running = await started(rig, 'sleep 60');
    const stray = join(rig.dir, 'proc_stray.log');
    await writeFile(stray, 'x');
    await utimes(stray, new Date(1_000), new Date(1_000));
    time += 6 * 86_400_000;
    const recent = await started(rig, 'echo recent');
    await ended(rig, recent);
    time += 2 * 86_400_000;
    await rig.processes.prune();
    const kept = await rig.store.select('processes', { orderBy: [['startedAt', 'asc']] });
    expect(kept.map(({ id }) => id)).toEqual([running, recent]);
    const files = await readdir(rig.dir);
    expect(files.toSorted()).toEqual([`${recent}.exit`, `${recent}.log`, `${running}.log`].toSorted());
    await rm(rig.dir, { recursive: true });
    await rig.processes.prune();
  });

  it('a session that prints much keeps its latest outputs, and no other session’s make room for them', async () => {
    const rig = await ExecRig.create({ policy: { maxOutputChars: 10 }, processes: { maxKeptASession: 2 } });
    const printed = async (text: string, sessionKey: string) => {
      const { details } = await rig.runApproved({ command: `printf %s ${text.padEnd(60, text)}` }, { sessionKey });
      return (details as { outputFile: string }).outputFile;
    };
    const other = await printed('other', 'agent:main:other');
    const files = [];
    for (const text of ['one', 'two', 'three']) files.push(await printed(text, MINE.sessionKey));
    const background = await started(rig, 'echo four');
    await ended(rig, background);
    await ended(rig, await started(rig, 'echo five'));
    const kept = await rig.store.select('processes', { where: MINE, orderBy: [['startedAt', 'asc']] });
    expect(kept).toHaveLength(2);
    const there = (await readdir(rig.dir)).filter((name) => name.endsWith('.log'));
    expect(there.sort()).toEqual(
      [other, ...kept.map(({ outputFile }) => outputFile)].map((file) => basename(file)).sort(),
    );
    expect(there).not.toContain(basename(files[0] ?? ''));
  });
});

function isThere(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

describe('of several nodes that share a store', () => {
  async function twoNodes() {
    const rig = await ExecRig.create({ processes: { node: 'a', lookEveryMs: 20 } });
    const other = createProcessTool({
      processes: await openedFor(rig, { node: 'b', dir: join(rig.scratch.outsideDir, 'b') }),
      now: Date.now,
      sight: new SessionSight(rig.store, 'self'),
    });
    const atOther = (params: JsonObject) =>
      runTool(other, params, toolContextForTest({ workspaceDir: rig.scratch.workspaceDir }));
    return { rig, atOther };
  }

  it('the one that has a command ends it when the other one is asked to', async () => {
    const { rig, atOther } = await twoNodes();
    const id = await started(rig, 'sleep 60');
    expect((await atOther({ action: 'kill', id })).content).toBe(
      `${id}: It runs on the node "a", which was asked to end it. Look again with poll.`,
    );
    expect(await ended(rig, id)).toMatchObject({ status: 'killed' });
  });

  it('the one that has a command ends it when its session is deleted at the other one', async () => {
    const { rig } = await twoNodes();
    const id = await started(rig, 'sleep 60');
    const { pid, pidToken, sessionKey } = await rowOf(rig, id);
    const other = await openedFor(rig, { node: 'b', dir: join(rig.scratch.outsideDir, 'b') });
    await other.forget(sessionKey);
    await rig.store.commit([{ remove: 'processes', where: { sessionKey } }], { site: 'process' });
    const token = () => pidTokenOf(pid ?? 0).then((found) => found && `a ${found}`);
    await until(token, (found) => found !== pidToken);
    await until(
      () => readdir(rig.dir),
      (names) => names.length === 0,
    );
  });

  it('what a command printed goes from its node when its session is deleted at the other one', async () => {
    const { rig } = await twoNodes();
    const id = await started(rig, 'echo done');
    const { sessionKey } = await ended(rig, id);
    const kept = await started(rig, 'echo kept', { sessionKey: 'agent:main:other' });
    await ended(rig, kept);
    await writeFile(join(rig.dir, 'proc_begins.log'), 'The file of a command is there before its row is.');
    const other = await openedFor(rig, { node: 'b', dir: join(rig.scratch.outsideDir, 'b') });
    await other.forget(sessionKey);
    await rig.store.commit([{ remove: 'processes', where: { sessionKey } }], { site: 'process' });
    expect(await readdir(rig.dir)).toContain(`${id}.log`);
    await rig.processes.prune();
    const ofKept = [`${kept}.exit`, `${kept}.log`];
    expect((await readdir(rig.dir)).toSorted()).toEqual([...ofKept, 'proc_begins.log'].toSorted());
    await openedFor(rig, { node: 'a' });
    expect((await readdir(rig.dir)).toSorted()).toEqual(ofKept);
  });

  it('the output of a command of the foreground is read where it is, and the other one says where', async () => {
    const { rig, atOther } = await twoNodes();
    const { content } = await rig.runApproved({ command: 'seq 20000' });
    const [, id = ''] = /"id":"(\w+)"/.exec(content) ?? [];
    expect((await rig.look({ action: 'log', id })).content).toContain('1\n2\n3');
    await rm(join(rig.dir, `${id}.log`));
    expect((await atOther({ action: 'log', id })).content).toContain(
      'It was started on the node "a", and its output is there',
    );
  });
});
