// Turns the errors of Postgres and of the connection to it into those of the Store contract: one class per cause, one
// sentence with the next step. The address may be that of a setting or of a flag, so it is called the store's own.

import { docsCommand } from '../../protocol/documents.ts';
import { type AtriumError, isAtriumError } from '../../protocol/errors.ts';
import { errorText } from '../../protocol/one-line.ts';
import { StoreFailedError, StoreFullError, StoreReadOnlyError } from '../errors.ts';
import { isConnectionError } from './postgres-connection.ts';

const UNIQUE_VIOLATION = '23505';
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';
const DISK_FULL = '53100';
const READ_ONLY_TRANSACTION = '25006';

export function storeErrorFrom(error: unknown, store: string): AtriumError {
  if (isAtriumError(error)) return error;
  const options = { cause: error };
  const state = stateOf(error);
  if (state === DISK_FULL) return new StoreFullError({ store }, options);
  if (state === READ_ONLY_TRANSACTION) return new StoreReadOnlyError({ store }, options);
  return new StoreFailedError({ store, ...describeFailure(error, state) }, options);
}

function describeFailure(error: unknown, state: string | undefined): { detail: string; remedy: string } {
  if (state === '53300')
    return {
      detail: 'the server has no connection left',
      remedy: 'Raise max_connections, or let fewer programs connect. A gateway that runs goes on by itself.',
    };
  if (state?.startsWith('28'))
    return { detail: errorText(error), remedy: 'Check the user and the password in its address.' };
  if (state === '3D000') return { detail: errorText(error), remedy: 'Create the database that its address names.' };
  if (state === '42501')
    return {
      detail: errorText(error),
      remedy: `Give the user of its address the rights that "${docsCommand('scale')}" lists.`,
    };
  if (state === '55P03')
    return {
      detail: 'another program has locked what this needs',
      remedy: 'End what holds the lock (pg_locks and pg_stat_activity name it). A gateway that runs goes on by itself.',
    };
  if (isCertificateError(error))
    return {
      detail: `its certificate is not accepted (${errorText(error)})`,
      remedy:
        'Name the file of the authority that signed it with sslrootcert in its address, and the server by a name that is in the certificate.',
    };
  if (isConnectionError(error))
    return {
      detail: `it cannot be reached (${errorText(error)})`,
      remedy: 'Check that the server runs and that the address names it. A gateway that runs goes on by itself.',
    };
  return { detail: errorText(error), remedy: 'Look into the log of the server, then try again.' };
}

/** The codes with which Node and OpenSSL refuse the certificate of a server. */
const CERTIFICATE_CODE = /CERT|UNABLE_TO_(?:GET|VERIFY)|ERR_TLS/;

function isCertificateError(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && CERTIFICATE_CODE.test(code);
}

/** True when the key exists already. */
export function isConflict(error: unknown): boolean {
  return stateOf(error) === UNIQUE_VIOLATION;
}

/** True when the server chose this transaction to give way to another one, so that the same one may succeed now. */
export function gaveWay(error: unknown): boolean {
  const state = stateOf(error);
  return state === DEADLOCK || state === SERIALIZATION_FAILURE;
}

function stateOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}
