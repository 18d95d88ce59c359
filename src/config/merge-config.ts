// Merges two configurations: objects are merged key by key, and any other value of the overlay replaces the value of
// the base.

import { type ConfigPath, formatConfigPath } from './config-path.ts';
import { isPlainObject } from './plain-object.ts';

export interface MergedConfig {
  readonly value: unknown;
  /** The paths whose value in the base was replaced by a different one. */
  readonly overridden: readonly string[];
}

export function mergeConfig(base: unknown, overlay: unknown): MergedConfig {
  const overridden: string[] = [];
  return { value: merge(base, overlay, [], overridden), overridden };
}

function merge(base: unknown, overlay: unknown, at: ConfigPath, overridden: string[]): unknown {
  if (isPlainObject(base) && isPlainObject(overlay)) {
    const entries = new Map(Object.entries(base));
    for (const [key, value] of Object.entries(overlay)) {
      entries.set(key, entries.has(key) ? merge(entries.get(key), value, [...at, key], overridden) : value);
    }
    return Object.fromEntries(entries);
  }
  if (JSON.stringify(base) !== JSON.stringify(overlay)) overridden.push(formatConfigPath(at));
  return overlay;
}
