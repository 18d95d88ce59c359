// Opens the state directory: the lock that makes this process its only owner, and the store in it. Where several gateways
// share the store, each has a state directory of its own, and the commits of each are made as those of a member.

import { join } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import { makeFolder } from '../../context/workspace/make-folder.ts';
import type { StorePlace } from '../../protocol/store-place.ts';
import { type Death, parseFailpoint, withFailpoints } from '../../store/failpoints.ts';
import { openStore } from '../../store/open-store.ts';
import { PowerCut } from '../../store/sqlite/power-cut.ts';
import { acquireStateLock, type StateLock } from '../../store/state-lock.ts';
import type { Store } from '../../store/store.ts';
import type { StoreMember } from '../../store/store-member.ts';
import { StateDirError } from '../errors.ts';

export interface OpenedState {
  readonly lock: StateLock;
  readonly store: Store;
}

/** `member` is the member of the cluster that makes the commits; a program that is no gateway has none. */
export async function openState(
  { stateDir, failpoints }: Environment,
  place: StorePlace,
  { member }: { readonly member?: StoreMember } = {},
): Promise<OpenedState> {
  const dir = join(stateDir, 'atrium');
  // Every other problem of the directory is told by the lock and the store.
  await makeFolder(dir, 0o700).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT')
      throw new StateDirError({ dir: stateDir, problem: 'no folder can be made there' }, { cause: error });
  });
  const lock = await acquireStateLock(stateDir);
  const store = await openStore(place, { besides: [lock.file], member }).catch(async (error) => {
    await lock.release();
    throw error;
  });
  if (failpoints.length === 0) return { lock, store };
  return { lock, store: withFailpoints(store, failpoints.map(parseFailpoint), deathOf(place)) };
}

/** The database, and the files that it keeps beside it while it is open. */
export function storeFilesOf(stateDir: string): readonly [string, ...string[]] {
  const file = join(stateDir, 'atrium', 'atrium.db');
  return [file, `${file}-wal`, `${file}-shm`];
}

function deathOf(place: StorePlace): Death {
  const kill = () => process.kill(process.pid, 'SIGKILL');
  // The power of a database server is not ours to cut.
  if (place.kind !== 'sqlite') return { kill, synced: () => undefined, cutPower: kill };
  const power = new PowerCut(place.file);
  return {
    kill,
    synced: () => power.synced(),
    cutPower: () => {
      power.loseTheRest();
      kill();
    },
  };
}
