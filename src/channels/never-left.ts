// The codes of failed requests under which no byte has left, so that what was to be sent can be sent again without harm.

import { ANOTHER_NODE } from './require-account.ts';

export const NEVER_LEFT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  ANOTHER_NODE,
]);
