// A configuration with a fragment merged over it, for a look at what an agent would read then. Objects are merged key by
// key, any other value replaces what was there, and the whole is checked as a file would be.
// Errors: ConfigVariantError for a setting that would load code or open something, ConfigInvalidError for a wrong value.

import { checkConfigObject } from '../../config/check-config-object.ts';
import { isPlainObject, type PlainObject } from '../../config/plain-object.ts';
import type { Config } from '../../config/schema.ts';
import { ConfigVariantError } from '../errors.ts';

/** A look may not load other code, run programs for secrets or open anything: these stay as the gateway has them. */
const FIXED = [
  'plugins',
  'mcp',
  'secrets',
  'env',
  'gateway',
  'channels',
  'cron',
  'recorder',
  'telemetry',
  'hooks.internal.load',
  'hooks.internal.handlers',
  'hooks.mappings',
  'bootstrap.handlers',
  'skills.load',
] as const;

export async function configVariant(config: Config, fragment: Readonly<Record<string, unknown>>): Promise<Config> {
  const fixed = FIXED.find((path) => hasPath(fragment, path.split('.')));
  if (fixed !== undefined) throw new ConfigVariantError({ setting: fixed });
  return checkConfigObject(merge(config as PlainObject, fragment) as Config);
}

function hasPath(value: unknown, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  return isPlainObject(value) && Object.hasOwn(value, first) && hasPath(value[first], rest);
}

function merge(base: unknown, overlay: unknown): unknown {
  if (!isPlainObject(base) || !isPlainObject(overlay)) return overlay;
  const entries = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(overlay)) entries.set(key, merge(entries.get(key), value));
  return Object.fromEntries(entries);
}
