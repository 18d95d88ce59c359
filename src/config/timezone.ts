// The time zone in which an agent's day is told. A name that no clock knows is passed over here; loading a configuration
// warns about it.

import { resolveAgentDefaults } from './agents.ts';
import type { Environment } from './environment.ts';
import type { Config } from './schema.ts';

/** The people's zone when the configuration names one, else the machine's. */
export function resolveTimezone(cfg: Config | undefined, environment: Pick<Environment, 'timezone'>): string {
  const configured: unknown = resolveAgentDefaults(cfg).userTimezone;
  return typeof configured === 'string' && isTimezone(configured.trim()) ? configured.trim() : environment.timezone;
}

/** True for a name that clocks here can be set to, such as "Europe/Berlin". */
export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
