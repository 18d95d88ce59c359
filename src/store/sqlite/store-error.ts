// Turns the errors of SQLite and the file system into those of the Store contract: one class per cause, one sentence
// with the next step.

import { dirname } from 'node:path';
import { type AtriumError, isAtriumError } from '../../protocol/errors.ts';
import { errorText } from '../../protocol/one-line.ts';
import { StateLockedError, StoreFailedError, StoreFullError, StoreReadOnlyError } from '../errors.ts';

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_CONSTRAINT = 19;
const SQLITE_NOTADB = 26;
/** Node reports names, and SQLite reports Linux's numbers. */
const FULL_DISK: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 28, 122, 27]);
const READ_ONLY_DISK: ReadonlySet<unknown> = new Set(['EROFS', 'EACCES', 'EPERM', 30, 13, 1]);

export function storeErrorFrom(error: unknown, file: string): AtriumError {
  if (isAtriumError(error)) return error;
  const options = { cause: error };
  const result = resultCode(error);
  const reason = systemReason(error);
  if (result === SQLITE_FULL || FULL_DISK.has(reason)) return new StoreFullError({ store: file }, options);
  if (result === SQLITE_READONLY || READ_ONLY_DISK.has(reason)) return new StoreReadOnlyError({ store: file }, options);
  if (isBusy(error)) return new StateLockedError({ dir: dirname(file), owner: undefined }, options);
  const { detail, remedy } = describeFailure(result, error);
  return new StoreFailedError({ store: file, detail, remedy }, options);
}

function describeFailure(result: number | undefined, error: unknown): { detail: string; remedy: string } {
  if (result === SQLITE_CORRUPT) {
    return {
      detail: 'the file is damaged',
      remedy: 'Check the disk, then bring back a copy of the file, or move it away to begin with an empty store.',
    };
  }
  if (result === SQLITE_NOTADB) {
    return {
      detail: 'it is no store of Atrium',
      remedy: 'Move the file away, or use another state directory.',
    };
  }
  return {
    detail: errorText(error),
    remedy: 'Check the disk and the state directory, then try again.',
  };
}

/** True when another connection holds the file, so that waiting helps. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === SQLITE_BUSY || code === SQLITE_LOCKED;
}

/** True when the key exists already. */
export function isConflict(error: unknown): boolean {
  return resultCode(error) === SQLITE_CONSTRAINT;
}

/** Returns the primary result code, without what SQLite adds in the higher bits. */
function resultCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | undefined)?.errcode;
  return typeof code === 'number' ? code & 0xff : undefined;
}

/** Returns the reason of the operating system. SQLite keeps an old number when it does not concern this error. */
function systemReason(error: unknown): string | number | undefined {
  const result = resultCode(error);
  const { code, systemErrno } = error as { code?: unknown; systemErrno?: unknown };
  if (result === SQLITE_IOERR || result === SQLITE_CANTOPEN) {
    return typeof systemErrno === 'number' ? systemErrno : undefined;
  }
  return typeof code === 'string' ? code : undefined;
}
