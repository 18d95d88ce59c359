// A database as it is named to people, and what holds for it unless it is said otherwise.

export const DEFAULT_SCHEMA = 'atrium';
/** How long requests wait for a server that cannot be reached. */
export const WAIT_MS = 10_000;

const ADDRESS = /^postgres(?:ql)?:\/\/(?:[^@/]*@)?([^/?]*)\/?([^?]*)/;

/** The address without the user and the password. */
export function describePlace(url: string, schema: string): string {
  const [, server, database] = ADDRESS.exec(url) ?? [];
  // Without a server in the address it may be named by a parameter or a variable, often as a folder of sockets.
  const place = [server, database].filter(Boolean).join('/') || 'at the address of store.url';
  return `postgres ${place}${schema === DEFAULT_SCHEMA ? '' : `, schema ${schema}`}`;
}
