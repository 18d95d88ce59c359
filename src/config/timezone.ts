// The time zone in which an agent's day is told. A name that no clock knows is passed over here; loading a configuration
// warns about it.

import { isTimezone } from '../protocol/timezone.ts';
import { resolveAgentDefaults } from './agents.ts';
import type { Environment } from './environment.ts';
import type { Config } from './schema.ts';

/** The people's zone when the configuration names one, else the machine's. */
export function resolveTimezone(cfg: Config | undefined, environment: Pick<Environment, 'timezone'>): string {
  const configured: unknown = resolveAgentDefaults(cfg).userTimezone;
  return typeof configured === 'string' && isTimezone(configured.trim()) ? configured.trim() : environment.timezone;
}
