// Who a person is, as a model reads it: the names and the id. Names are cleaned of what cannot be seen and cut; the id is
// the platform's own and tells people of one name apart.

import type { Sender } from '../protocol/inbound.ts';
import { oneLine } from '../protocol/one-line.ts';

const LONGEST_NAME = 64;

/** It stands in `quotedData`, which keeps brackets and line ends out. */
export function senderNames({ id, name, username }: Sender): Readonly<Record<string, string>> {
  const shown = oneLine(name ?? '', LONGEST_NAME);
  const handle = oneLine(username ?? '', LONGEST_NAME);
  return {
    ...(shown !== '' && { name: shown }),
    ...(handle !== '' && { username: handle }),
    id: oneLine(id, LONGEST_NAME),
  };
}
