// A database as it is named to people, and what holds for it unless it is said otherwise.

import { StoreFailedError } from '../errors.ts';

export const DEFAULT_SCHEMA = 'atrium';
/** How long requests wait for a server that cannot be reached. */
export const WAIT_MS = 10_000;

const ADDRESS = /^postgres(?:ql)?:\/\/(?:[^@/]*@)?([^/?]*)\/?([^?]*)/;

/** The address without the user and the password. */
export function describePlace(url: string, schema: string): string {
  const [, server, database] = ADDRESS.exec(url) ?? [];
  // Without a server in the address it may be named by a parameter or a variable, often as a folder of sockets.
  const place = [server, database].filter(Boolean).join('/') || 'at an address without a server';
  return `postgres ${place}${schema === DEFAULT_SCHEMA ? '' : `, schema ${schema}`}`;
}

/** Throws StoreFailedError for an address of something else. It says nothing of what stands behind the first word, which may be a secret. */
export function checkUrl(url: string, store: string): void {
  if (ADDRESS.test(url)) return;
  const scheme = /^[a-z][a-z0-9+.-]{0,20}:\/\//i.exec(url)?.[0];
  throw new StoreFailedError({
    store,
    detail: `its address begins with ${scheme === undefined ? 'no word such as' : `"${scheme}", and not with`} "postgres://"`,
    remedy: 'Write store.url as "postgres://user:password@host:5432/name".',
  });
}

/** A name becomes part of statements. Throws StoreFailedError. */
export function checkSchemaName(schema: string, store: string): void {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) return;
  const remedy = 'Use small letters, digits and underscores, and begin with a letter.';
  throw new StoreFailedError({ store, detail: `"${schema}" is no name of a schema`, remedy });
}
