// Opens the state directory: the lock that makes this process its only owner, and the store in it.

import { join } from 'node:path';
import type { Environment } from '../config/environment.ts';
import { parseFailpoint, withFailpoints } from '../store/failpoints.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import { acquireStateLock, type StateLock } from '../store/state-lock.ts';
import type { Store } from '../store/store.ts';

export interface OpenedState {
  readonly lock: StateLock;
  readonly store: Store;
}

export async function openState({ stateDir, failpoints }: Environment): Promise<OpenedState> {
  const lock = await acquireStateLock(stateDir);
  const store = await openSqliteStore({ file: join(stateDir, 'atrium', 'atrium.db') }).catch(async (error) => {
    await lock.release();
    throw error;
  });
  if (failpoints.length === 0) return { lock, store };
  const die = () => process.kill(process.pid, 'SIGKILL');
  return { lock, store: withFailpoints(store, failpoints.map(parseFailpoint), die) };
}
