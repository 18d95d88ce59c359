// The errors that store raises, one row each. docs/errors.md is made from these rows.

import { countOf } from '../protocol/count-of.ts';
import { defineError } from '../protocol/errors.ts';

export class ClaimLostError extends defineError({
  code: 'ATRIUM_STORE_CLAIM_LOST',
  status: 503,
  message: ({ runId, claim }: { runId: string; claim: number }) =>
    `The run ${runId} may not write any more: claim ${claim} was superseded, or the run is over. Nothing was stored. If the run is not over, the process with the newer claim goes on with it.`,
  means: 'A run tried to write after another claim took it over, or after its end. Nothing was stored.',
  remedy: 'Nothing: if the run is not over, the process with the newer claim goes on with it.',
}) {}

export class PreconditionFailedError extends defineError({
  code: 'ATRIUM_STORE_PRECONDITION',
  status: 409,
  message: ({ table, problem }: { table: string; problem: string }) =>
    `The commit was not made: ${table} ${problem}. Read the rows again and decide with what they hold now.`,
  means: 'A commit found other rows than it expected, or a key that exists already. Nothing of it was stored.',
  remedy: 'Read the rows again and decide with what they hold now.',
}) {}

export class CeilingPassedError extends defineError({
  code: 'ATRIUM_STORE_CEILING',
  status: 409,
  message: ({ table, columns, most }: { table: string; columns: readonly string[]; most: number }) =>
    `The commit was not made: in ${table}, ${columns.join(' + ')} would have come above ${most}. Read the rows again and add less, or wait until there is room.`,
  means: 'A commit wanted to add to numbers that would then have been above a ceiling. Nothing of it was stored.',
  remedy: 'Read the rows again and add less, or wait until there is room.',
}) {}

export class InvalidStoreRequestError extends defineError({
  code: 'ATRIUM_STORE_REQUEST_INVALID',
  status: 503,
  message: ({ table, problem }: { table: string; problem: string }) =>
    `The store cannot do what it was asked with ${table}: ${problem}. Correct the program that asked.`,
  means: 'A program asked for a table, a column or a value that the store does not have. Nothing was stored.',
  remedy: 'Correct the program that asked.',
}) {}

export class StoreClosedError extends defineError({
  code: 'ATRIUM_STORE_CLOSED',
  status: 503,
  message: ({ store }: { store: string }) => `The store ${store} is closed. Open it again before using it.`,
  means: 'The store was used after it had been closed.',
  remedy: 'Open it again first.',
}) {}

export class StoreFullError extends defineError({
  code: 'ATRIUM_STORE_FULL',
  status: 503,
  message: ({ store }: { store: string }) =>
    `There is no space left for the store ${store}. Free some. What was accepted is kept, and a gateway that runs goes on without a restart.`,
  means: 'The disk, or the limit set for the store, is full. What was accepted before is kept.',
  remedy: 'Free some space; a gateway that runs needs no restart.',
}) {}

export class StoreReadOnlyError extends defineError({
  code: 'ATRIUM_STORE_READ_ONLY',
  status: 503,
  message: ({ store }: { store: string }) =>
    `The store ${store} cannot be written. Check the permissions of the file and its directory, and whether the disk is mounted read-only.`,
  means: 'The store can be read but not written.',
  remedy: 'Check the permissions of the file and its directory, and how the disk is mounted.',
}) {}

export class StoreReplacedError extends defineError({
  code: 'ATRIUM_STORE_REPLACED',
  status: 503,
  message: ({ store, file }: { store: string; file: string }) =>
    `The file ${file} was removed or replaced while the store ${store} was open. Nothing more is stored. Put back the file that was there, or stop the gateway and start it with what is there now.`,
  means:
    'A file of the state directory is not the one that the gateway opened. What it would write there could never be read again, so it is refused.',
  remedy: 'Put back the file that was there; the gateway then goes on. Or stop it and start it with what is there now.',
}) {}

export class StoreFailedError extends defineError({
  code: 'ATRIUM_STORE_FAILED',
  status: 503,
  message: ({ store, detail, remedy }: { store: string; detail: string; remedy: string }) =>
    `The store ${store} failed: ${detail}. ${remedy}`,
  means: "The store's file is damaged, is no store, or the disk refuses; `detail` says which.",
  remedy: 'Do what the message says: check the disk, or bring back a copy of the file.',
}) {}

export class StoreTooNewError extends defineError({
  code: 'ATRIUM_STORE_TOO_NEW',
  status: 503,
  message: ({ store, found, known }: { store: string; found: number; known: number }) =>
    `The store ${store} was written by a newer Atrium (version ${found} of its tables; this one knows ${known}). Update Atrium, or use another state directory.`,
  means: 'A newer Atrium has written this store, and this version cannot read it.',
  remedy: 'Update Atrium, or use another state directory.',
}) {}

export class StoreInUseError extends defineError({
  code: 'ATRIUM_STORE_IN_USE',
  status: 503,
  message: ({ store, by }: { store: string; by?: string | undefined }) =>
    `The store ${store} is in use by another process${by === undefined ? '' : ` (${by})`}. Stop that one first, or name another database or schema.`,
  means: 'A store is moved from or to this database, or a gateway works on the database that is to be moved.',
  remedy: 'Wait until the move is over, or stop every gateway on this database first.',
}) {}

export class StoreUpgradeBlockedError extends defineError({
  code: 'ATRIUM_STORE_UPGRADE_BLOCKED',
  status: 503,
  message: ({ store, nodes }: { store: string; nodes: readonly string[] }) =>
    `The tables of the store ${store} cannot be changed while older nodes run that need them as they are: ${nodes.join(', ')}. Upgrade those first to the version before this one, or stop them.`,
  means: 'This version takes something away from the tables that running nodes of an older version still use.',
  remedy: 'Upgrade the older nodes to the version before this one first, or stop them, then start this one again.',
}) {}

export class NodeExpelledError extends defineError({
  code: 'ATRIUM_NODE_EXPELLED',
  status: 503,
  message: ({ store, trouble }: { store: string; trouble?: string | undefined }) =>
    trouble !== undefined
      ? `Nothing was stored: the database ${store} cannot be reached (${trouble}), and without it this node is no member of the cluster. Check that the server runs. The node goes on by itself when it answers; then try again.`
      : `The commit was not made: this node is not a member of the cluster at ${store}. It was silent for too long or was removed, and the other nodes go on with its work. It joins again by itself; then try again.`,
  means:
    'The node was frozen or had no connection for longer than its lease, and the others have expelled it; or an operator removed it. Nothing of the commit was stored.',
  remedy: 'Nothing: the node joins again by itself, and the others go on with its work. Send the request again.',
}) {}

export class StoreNotEmptyError extends defineError({
  code: 'ATRIUM_STORE_NOT_EMPTY',
  status: 409,
  message: ({ store, rows, remedy }: { store: string; rows: number; remedy: string }) =>
    `The store ${store} has ${countOf(rows, 'row')} that no move from here has brought. Nothing was moved. ${remedy}`,
  means: 'A store was to be moved to a place that has rows of its own, or that another move had begun to fill.',
  remedy: 'Name an empty place, or move away what is there.',
}) {}

export class StoreSamePlaceError extends defineError({
  code: 'ATRIUM_STORE_SAME_PLACE',
  status: 409,
  message: ({ store }: { store: string }) =>
    `The store is at ${store} already. Nothing was moved. Name another place with --to.`,
  means: 'A store was to be moved to the place where it is.',
  remedy: 'Name another place.',
}) {}

export class StoreMoveUnfinishedError extends defineError({
  code: 'ATRIUM_STORE_MOVE_UNFINISHED',
  status: 503,
  message: ({ store }: { store: string }) =>
    `The store ${store} is being filled by "atrium store migrate", and that is not finished. Run the same command again with the configuration that it had then; it goes on where it stopped.`,
  means: 'A move of a store was interrupted, so that this place has only a part of the rows.',
  remedy:
    'Run the same `atrium store migrate` again, with the configuration that it had then; it goes on where it stopped.',
}) {}

export class StoreMoveDiffersError extends defineError({
  code: 'ATRIUM_STORE_MOVE_DIFFERS',
  status: 503,
  message: ({ store, tables }: { store: string; tables: readonly string[] }) =>
    `What was moved to ${store} is not what the old store has, in ${tables.join(', ')}. The old store is unchanged and stays in use. Stop every program that writes to either of them, and run the same command again.`,
  means: 'Counts or hashes of the two stores differ after a move, also after the tables in question were moved again.',
  remedy:
    'Stop every program that writes to one of the two stores, and run the same command again. Nothing was lost: the old store is unchanged.',
}) {}

export class StateLockedError extends defineError({
  code: 'ATRIUM_STATE_LOCKED',
  status: 503,
  message: ({ dir, owner }: { dir: string; owner: { readonly pid: number; readonly url: string } | undefined }) =>
    `The state directory ${dir} is in use by ${owner ? `the gateway at ${owner.url} (process ${owner.pid})` : 'another process'}. Stop that one first, or use another state directory.`,
  means: "Another process owns the state directory, or keeps the store's file busy; `owner` says which if it is known.",
  remedy: 'Stop that one first, or use another state directory.',
}) {}

export class InvalidFailpointError extends defineError({
  code: 'ATRIUM_STORE_FAILPOINT_INVALID',
  status: 503,
  message: ({ text, problem }: { text: string; problem: string }) =>
    `"${text}" is no failpoint: ${problem}. Write for example request:before or tool-result:after@2.`,
  means: 'The text that names a failpoint for a crash test cannot be understood.',
  remedy: 'Write it as `site:before`, `site:after@2` or `site:power`.',
}) {}

/** True when the store refused, so that the write must still be made. */
export function isStoreError(error: unknown): boolean {
  return STORE_REFUSALS.some((kind) => error instanceof kind);
}

const STORE_REFUSALS = [
  StoreFullError,
  StoreReadOnlyError,
  StoreReplacedError,
  StoreFailedError,
  StoreClosedError,
  StateLockedError,
  NodeExpelledError,
];
