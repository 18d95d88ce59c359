// What a plugin threw or answered, as words for an operator's log.

import { oneLine } from '../../protocol/one-line.ts';

export function reasonOf(error: unknown): string {
  return oneLine(error) || 'it did not say why';
}
