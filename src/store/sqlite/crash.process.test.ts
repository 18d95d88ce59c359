import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { bundleProgram } from '../bundle-program.ts';
import { openSqliteStore } from './open-sqlite-store.ts';

const PROGRAMS = `
  import { execFileSync } from 'node:child_process';
  import { openSqliteStore } from './sqlite/open-sqlite-store.ts';

  // Four lanes commit as fast as they can, two of them lazily, two rows at a time, and say which commits were acknowledged.
  async function commitForEver(store, round) {
    await Promise.all(['a', 'b', 'c', 'd'].map(async (lane) => {
      for (let position = 0; ; position += 1) {
        const runId = round + lane;
        const data = { text: 'x'.repeat(position % 3000) };
        await store.commit([
          { insert: 'journal', row: { runId, position, kind: 'step', at: 1, data } },
          { insert: 'parts', row: { hash: runId + position, text: '', size: 0, usedAt: position } },
        ], { site: 'request', lazy: lane > 'b' });
        process.stdout.write(runId + position + '\\n');
      }
    }));
  }

  // Commits until the disk refuses, then makes room without a restart and goes on.
  async function commitUntilFull(store) {
    const put = (hash) => store.commit(
      [{ insert: 'parts', row: { hash, text: 'x'.repeat(3000), size: 3000, usedAt: 1 } }], { site: 'request' });
    let accepted = 0;
    const fill = async () => { for (;;) { await put('hash-' + accepted); accepted += 1; } };
    const error = await fill().catch((error) => error);
    const together = await Promise.allSettled([put('x'), put('y'), put('z')]);
    const kept = await store.count('parts');
    execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited']);
    await put('after');
    await store.close();
    const names = together.map(({ reason }) => reason?.name);
    process.stdout.write(JSON.stringify({ accepted, kept, name: error.name, names }) + '\\n');
  }

  const [, , program, file, ...argv] = process.argv;
  const store = await openSqliteStore({ file });
  await { commitForEver, commitUntilFull }[program](store, ...argv);`;

let scratch: string;
let script: string;
let dir: string;
let file: string;
let writer: ChildProcess | undefined;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'atrium-crash-program-'));
  script = await bundleProgram(scratch, PROGRAMS);
});
afterAll(() => rm(scratch, { recursive: true }));
beforeEach(async () => {
  dir = await folderForTest();
  file = join(dir, 'store.db');
});
afterEach(async () => {
  writer?.kill('SIGKILL');
});

describe('a process that is killed', () => {
  it('has lost no commit that was acknowledged, and stored none by half', async () => {
    const acknowledged = new Set<string>();
    for (const [round, enough] of [
      ['first', 1],
      ['second', 50],
      ['third', 200],
      ['fourth', 500],
      ['fifth', 1000],
    ] as const) {
      writer = start('commitForEver', [round]);
      for await (const line of linesOf(writer)) {
        acknowledged.add(line);
        // More lines may have arrived than were waited for, in the round before too.
        if (acknowledged.size >= enough) writer.kill('SIGKILL');
      }
      expect(writer.signalCode).toBe('SIGKILL');
      const store = await openSqliteStore({ file });
      const stored = new Set((await store.select('parts')).map(({ hash }) => hash));
      expect([...acknowledged].filter((hash) => !stored.has(hash))).toEqual([]);
      const steps = await store.select('journal', { orderBy: [['position', 'asc']] });
      expect(new Set(steps.map(({ runId, position }) => `${runId}${position}`))).toEqual(stored);
      for (const lane of ['a', 'b', 'c', 'd']) {
        const positions = steps.filter(({ runId }) => runId === round + lane).map(({ position }) => position);
        expect(positions).toEqual(positions.map((_, index) => index));
      }
      await store.close();
    }
  });
});

describe.runIf(existsSync('/usr/bin/prlimit'))('a disk that takes no more', () => {
  it('is reported by every commit that needs it, costs nothing that was accepted, and needs no restart', async () => {
    writer = start('commitUntilFull', [], 1_000);
    const lines: string[] = [];
    for await (const line of linesOf(writer)) lines.push(line);
    const { accepted, kept, name, names } = JSON.parse(lines[0] ?? '{}');
    expect({ kept, name, names }).toEqual({
      kept: accepted,
      name: 'StoreFullError',
      names: ['StoreFullError', 'StoreFullError', 'StoreFullError'],
    });
    const store = await openSqliteStore({ file });
    expect(await store.count('parts')).toBe(accepted + 1);
    await store.close();
  });
});

/** Runs a program on the store in its own process. None of its files may grow beyond `limit` blocks of 512 bytes. */
function start(program: 'commitForEver' | 'commitUntilFull', argv: readonly string[], limit?: number): ChildProcess {
  const command = [process.execPath, script, program, file, ...argv];
  const limited = ['sh', '-c', `ulimit -S -f ${limit}; exec "$@"`, 'sh', ...command];
  const [name = '', ...rest] = limit === undefined ? command : limited;
  return spawn(name, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Yields the lines that a process prints until it has ended. */
async function* linesOf(child: ChildProcess): AsyncGenerator<string> {
  const ended = once(child, 'close');
  if (child.stdout) yield* createInterface({ input: child.stdout });
  await ended;
}
