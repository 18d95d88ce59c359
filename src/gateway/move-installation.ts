// Moves the store of this home to another place, with the files of its messages. While it works, it owns both places, so
// that no gateway can use either of them; a gateway that runs there is named in the error.
// Errors: StateLockedError and StoreInUseError for a gateway that runs, and those of `moveStore`.

import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Environment } from '../config/environment.ts';
import { makeFolder } from '../context/workspace/make-folder.ts';
import type { StorePlace } from '../protocol/store-place.ts';
import type { BlobStore } from '../store/blobs/blob-store.ts';
import { openBlobs } from '../store/blobs/open-blobs.ts';
import { StoreFailedError, StoreSamePlaceError } from '../store/errors.ts';
import { countRows, type MoveSide } from '../store/move/move-side.ts';
import { lookAtTarget, MOVED_TABLES, type MoveReport, type MoveStep, moveStore } from '../store/move/move-store.ts';
import { openSide } from '../store/move/open-side.ts';
import { DEFAULT_SCHEMA, describePlace } from '../store/postgres/describe-place.ts';
import { acquireStateLock, type StateLock } from '../store/state-lock.ts';
import type { TableName } from '../store/tables.ts';
import { attachmentFolder } from './parts/create-attachments.ts';

export interface Installation {
  readonly environment: Pick<Environment, 'stateDir'>;
  readonly from: StorePlace;
  readonly to: StorePlace;
}

export interface MovedInstallation extends MoveReport {
  readonly from: string;
  readonly to: string;
}

export async function moveInstallation({
  environment,
  from,
  to,
  progress,
}: Installation & { readonly progress: (step: MoveStep) => void }): Promise<MovedInstallation> {
  if (!(await exists(from))) {
    const remedy = 'Nothing has to be moved: set store.url, and "atrium start" makes the tables there.';
    throw new StoreFailedError({ store: describe(from), detail: 'there is none yet', remedy });
  }
  // It would otherwise wait for itself.
  if ((await lookAtMove({ environment, from, to })).is === 'the same place')
    throw new StoreSamePlaceError({ store: describe(to) });
  const opened: { close(): Promise<void> }[] = [];
  const keep = <Thing extends { close(): Promise<void> }>(thing: Thing): Thing => {
    opened.unshift(thing);
    return thing;
  };
  try {
    for (const dir of await stateDirsOf(environment, [from, to])) keep(closing(await lockState(dir)));
    const source = keep(await openSide(from, 'read'));
    const target = keep(await openSide(to, 'fill'));
    const report = await moveStore({
      from: source,
      to: target,
      fromBlobs: keep(blobsOf(environment, from)),
      toBlobs: keep(blobsOf(environment, to)),
      remedy: remedyFor(to),
      progress,
    });
    return { ...report, from: source.description, to: target.description };
  } finally {
    for (const thing of opened) await thing.close();
  }
}

export interface PlaceFacts {
  readonly place: string;
  readonly kind: StorePlace['kind'];
  /** The version of the tables; 0 when there are none yet. */
  readonly version: number;
  readonly bytes: number;
  readonly tables: readonly TableFacts[];
  readonly files: { readonly count: number; readonly bytes: number; readonly place: string };
}

export interface TableFacts {
  readonly table: TableName;
  readonly rows: number;
}

/** What a place has, read beside a gateway that may run. Undefined when there is no such file. */
export async function lookAtPlace(
  environment: Pick<Environment, 'stateDir'>,
  place: StorePlace,
): Promise<PlaceFacts | undefined> {
  if (!(await exists(place))) return undefined;
  const side = await openSide(place, 'look');
  const blobs = blobsOf(environment, place);
  try {
    return {
      place: side.description,
      kind: side.kind,
      version: side.version,
      bytes: await side.measure(),
      tables: await countTables(side),
      files: {
        ...(await sumBlobs(blobs, side)),
        place: place.kind === 'sqlite' ? blobs.description : side.description,
      },
    };
  } finally {
    await blobs.close();
    await side.close();
  }
}

export type FoundTarget = Awaited<ReturnType<typeof lookAtTarget>>;

/** What a move would find at the other place. */
export async function lookAtMove({ from, to }: Installation): Promise<FoundTarget> {
  const [source, target] = [await sideOf(from), await sideOf(to)];
  try {
    if (from.kind === 'sqlite' && to.kind === 'sqlite' && from.file === to.file) return { is: 'the same place' };
    return target ? await lookAtTarget({ identity: source?.identity ?? '' }, target) : { is: 'empty' };
  } finally {
    await source?.close();
    await target?.close();
  }
}

async function sideOf(place: StorePlace): Promise<MoveSide | undefined> {
  return (await exists(place)) ? openSide(place, 'look') : undefined;
}

async function countTables(side: MoveSide): Promise<readonly TableFacts[]> {
  const tables: TableFacts[] = [];
  // Tables of an older version may lack some.
  for (const table of side.version === 0 ? [] : MOVED_TABLES) {
    const rows = await countRows(side, table).catch(() => 0);
    tables.push({ table, rows });
  }
  return tables;
}

async function sumBlobs(blobs: BlobStore, { kind, hasTable }: MoveSide): Promise<{ count: number; bytes: number }> {
  let [count, bytes] = [0, 0];
  if (kind === 'postgres' && !(await hasTable('blobs'))) return { count, bytes };
  for await (const { size } of blobs.list()) {
    count += 1;
    bytes += size;
  }
  return { count, bytes };
}

function blobsOf({ stateDir }: Pick<Environment, 'stateDir'>, place: StorePlace): BlobStore {
  return openBlobs(place, attachmentFolder(place.kind === 'sqlite' ? dirname(place.file) : join(stateDir, 'atrium')));
}

/** This home, and the home that an SQLite file belongs to, each once. */
async function stateDirsOf({ stateDir }: Pick<Environment, 'stateDir'>, places: readonly StorePlace[]) {
  const dirs = [stateDir, ...places.flatMap(homeOfFile)];
  const real = await Promise.all(dirs.map((dir) => realpath(dir).catch(() => dir)));
  return dirs.filter((_, index) => real.indexOf(real[index] as string) === index);
}

/** A gateway uses a file only as `atrium/atrium.db` of its state directory. */
function homeOfFile(place: StorePlace): readonly string[] {
  if (place.kind !== 'sqlite') return [];
  const dir = dirname(place.file);
  return basename(place.file) === 'atrium.db' && basename(dir) === 'atrium' ? [dirname(dir)] : [];
}

async function lockState(stateDir: string): Promise<StateLock> {
  await makeFolder(join(stateDir, 'atrium'), 0o700);
  return acquireStateLock(stateDir);
}

function closing(lock: StateLock): { close(): Promise<void> } {
  return { close: () => lock.release() };
}

function describe(place: StorePlace): string {
  return place.kind === 'sqlite' ? `sqlite ${place.file}` : describePlace(place.url, place.schema ?? DEFAULT_SCHEMA);
}

function remedyFor(to: StorePlace): string {
  return to.kind === 'sqlite'
    ? `Move the file away, for example with "mv ${to.file} ${to.file}.before", or name another file with --to.`
    : 'Name another schema with --schema, or remove that one from the database.';
}

async function exists(place: StorePlace): Promise<boolean> {
  if (place.kind !== 'sqlite') return true;
  return stat(place.file).then(
    (entry) => entry.isFile() && entry.size > 0,
    () => false,
  );
}
