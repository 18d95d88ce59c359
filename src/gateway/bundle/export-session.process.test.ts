import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { newId } from '../../protocol/new-id.ts';
import { captureRequest } from '../../recorder/capture.ts';
import { openSqliteStore } from '../../store/sqlite/open-sqlite-store.ts';
import type { Write } from '../../store/store.ts';
import { AtriumProcess } from '../../testkit/atrium-process.ts';
import { ScratchHome } from '../../testkit/scratch-home.ts';
import { fillStore } from '../http/fixtures/filled-store.ts';
import { openBundle } from './open-bundle.ts';

it('leaves a whole bundle or a folder that is called incomplete, wherever the process is killed', async () => {
  const home = await ScratchHome.create({ 'atrium/.keep': '' });
  const out = join(home.home, 'out');
  await mkdir(out);
  try {
    const sessionKey = await fillWithRuns(home.stateDir);
    const argv = ['export-trajectory', '--session', sessionKey, '--out', out];
    const states = new Set<string>();
    // The kills come later and later, until an export has got through.
    for (let round = 0; round < 40 && !states.has('whole'); round++) {
      const started = new AtriumProcess(argv, { home: home.home });
      const seen = await beginning(out, round, started);
      await sleep(round * round * 10);
      started.signal('SIGKILL');
      await started.ended();
      for (const name of await readdir(out)) {
        if (name.endsWith('.incomplete')) {
          await expect(openBundle(join(out, name))).rejects.toThrow('it was not written to its end');
          states.add('incomplete');
        } else {
          const { problems, manifest } = await openBundle(join(out, name));
          expect(problems).toEqual([]);
          expect(manifest.runs).toHaveLength(RUNS + 1);
          states.add('whole');
        }
      }
      if (!seen) break;
    }
    expect([...states].sort()).toEqual(['incomplete', 'whole']);
    // What was cut short stands in nobody's way.
    const last = new AtriumProcess(argv, { home: home.home });
    expect(await last.ended()).toBe(0);
    const [half = ''] = (await readdir(out)).filter((name) => name.endsWith('.incomplete'));
    const opened = new AtriumProcess(['trajectory', 'open', join(out, half)], { home: home.home });
    expect(await opened.ended()).not.toBe(0);
    // Without the name that gives it away, its files do: the manifest is written last.
    const renamed = join(out, 'looks-whole');
    await rename(join(out, half), renamed);
    await expect(openBundle(renamed)).rejects.toThrow('manifest.json');
  } finally {
    await home.remove();
  }
}, 180_000);

const RUNS = 200;

async function fillWithRuns(stateDir: string): Promise<string> {
  const store = await openSqliteStore({ file: join(stateDir, 'atrium', 'atrium.db') });
  try {
    const { sessionKey, sessionId } = await fillStore(store);
    const writes: Write[] = [];
    for (let index = 0; index < RUNS; index++) {
      const at = 1_700_000_100_000 + index;
      const runId = newId('run', at);
      const ended = {
        status: 'done',
        claim: 1,
        progressClaim: 1,
        outcome: { reply: 'ok' },
        observed: true,
        node: null,
        stopReason: null,
      } as const;
      const who = { runId, sessionKey, sessionId, agentId: 'main' };
      writes.push({ insert: 'runs', row: { ...who, ...ended, startedAt: at, endedAt: at + 1 } });
      const wire = {
        url: 'http://localhost',
        headers: {},
        body: JSON.stringify({ messages: ['x'.repeat(2_000), at] }),
      };
      writes.push(...captureRequest({ runId, call: 1, at, provider: 'fake', model: 'small', wire }));
    }
    await store.commit(writes, { site: 'request' });
    return sessionKey;
  } finally {
    await store.close();
  }
}

/** Waits until the export has begun to write, or has ended. Gives false when it ended first. */
async function beginning(out: string, round: number, started: AtriumProcess): Promise<boolean> {
  let isOver = false;
  void started.ended().then(() => {
    isOver = true;
  });
  while (!isOver) {
    const names = await readdir(out);
    if (names.filter((name) => name.endsWith('.incomplete')).length > round) return true;
    await sleep(5);
  }
  return false;
}
