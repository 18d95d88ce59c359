// The place of a store in Postgres, in words for sentences.

export const DEFAULT_SCHEMA = 'atrium';

const ADDRESS = /^postgres(?:ql)?:\/\/(?:[^@/]*@)?([^/?]*)\/?([^?]*)/;

/** The address without the user and the password. */
export function describePostgres(url: string, schema: string): string {
  const [, server, database] = ADDRESS.exec(url) ?? [];
  // Without a server in the address it may be named by a parameter or a variable, often as a folder of sockets.
  const place = [server, database].filter(Boolean).join('/') || 'at the address of store.url';
  return `postgres ${place}${schema === DEFAULT_SCHEMA ? '' : `, schema ${schema}`}`;
}
