// Opens the state directory: the lock that makes this process its only owner, and the store in it.

import { join } from 'node:path';
import type { Environment } from '../config/environment.ts';
import { makeFolder } from '../context/workspace/make-folder.ts';
import { type Death, parseFailpoint, withFailpoints } from '../store/failpoints.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import { PowerCut } from '../store/sqlite/power-cut.ts';
import { acquireStateLock, type StateLock } from '../store/state-lock.ts';
import type { Store } from '../store/store.ts';
import { StateDirError } from './errors.ts';

export interface OpenedState {
  readonly lock: StateLock;
  readonly store: Store;
}

export async function openState({ stateDir, failpoints }: Environment): Promise<OpenedState> {
  const dir = join(stateDir, 'atrium');
  // Every other problem of the directory is told by the lock and the store.
  await makeFolder(dir, 0o700).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT')
      throw new StateDirError({ dir: stateDir, problem: 'no folder can be made there' }, { cause: error });
  });
  const lock = await acquireStateLock(stateDir);
  const [file] = storeFilesOf(stateDir);
  const store = await openSqliteStore({ file, besides: [lock.file] }).catch(async (error) => {
    await lock.release();
    throw error;
  });
  if (failpoints.length === 0) return { lock, store };
  return { lock, store: withFailpoints(store, failpoints.map(parseFailpoint), deathOf(file)) };
}

/** The database, and the files that it keeps beside it while it is open. */
export function storeFilesOf(stateDir: string): readonly [string, ...string[]] {
  const file = join(stateDir, 'atrium', 'atrium.db');
  return [file, `${file}-wal`, `${file}-shm`];
}

function deathOf(databaseFile: string): Death {
  const power = new PowerCut(databaseFile);
  const kill = () => process.kill(process.pid, 'SIGKILL');
  return {
    kill,
    synced: () => power.synced(),
    cutPower: () => {
      power.loseTheRest();
      kill();
    },
  };
}
