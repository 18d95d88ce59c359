// The time zone of an agent's day. An unknown zone is ignored here; loading a configuration warns about it.

import { isTimezone } from '../protocol/timezone.ts';
import { resolveAgentDefaults } from './agents.ts';
import type { Environment } from './environment.ts';
import type { Config } from './schema.ts';

/** Returns the configured zone of the users, else the zone of the machine. */
export function resolveTimezone(cfg: Config | undefined, environment: Pick<Environment, 'timezone'>): string {
  const configured: unknown = resolveAgentDefaults(cfg).userTimezone;
  return typeof configured === 'string' && isTimezone(configured.trim()) ? configured.trim() : environment.timezone;
}
