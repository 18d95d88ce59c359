// Refuses options that a function would ignore, because a misspelt name would silently change what is composed.
// Errors: throws UnknownOptionError.

import { nearMatch } from '../protocol/near-match.ts';
import { UnknownOptionError } from './errors.ts';

export function checkOptions(call: string, given: object, known: readonly string[]): void {
  for (const option of Object.keys(given)) {
    if (!known.includes(option)) throw new UnknownOptionError({ call, option, suggestion: nearMatch(option, known) });
  }
}
