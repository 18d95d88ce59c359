// Which sessions an agent may see through its session tools. The default is the strictest: two surfaces share nothing
// unless the operator allows it.

import type { Config } from './schema.ts';

/**
 * OpenClaw's words are understood in the narrower sense: `tree` means `self`, and `all` never means more than `agent`.
 */
export function sessionVisibilityOf({ tools }: Pick<Config, 'tools'>): 'self' | 'agent' {
  const asked = tools?.sessions?.visibility;
  return asked === 'agent' || asked === 'all' ? 'agent' : 'self';
}
