// Who is talking through the API, as the peer of a surface. Session keys are lower case and split at colons, so two
// users whose names differ only in such things would share a session; their names are told apart by a hash. So is a
// plain name that ends as if it had one, or it could be chosen to be somebody else's.

import { createHash } from 'node:crypto';

export function peerIdOf(user: string): string {
  if (/^[a-z0-9][a-z0-9._@+-]{0,63}$/.test(user) && !/(^|-)[0-9a-f]{12}$/.test(user)) return user;
  const readable = user
    .toLowerCase()
    .replace(/[^a-z0-9._@+-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 40);
  const hash = createHash('sha256').update(user).digest('hex').slice(0, 12);
  return readable === '' ? hash : `${readable}-${hash}`;
}
