// Refuses to go on while a plugin is missing that the operator requires: a gate that could not be loaded is closed.

import { RequiredPluginError } from './errors.ts';
import type { DraftParts } from './run-parts.ts';

export function requirePlugins({ missingPlugins }: Pick<DraftParts, 'missingPlugins'>): void {
  const [missing] = missingPlugins();
  if (missing) throw new RequiredPluginError({ pluginId: missing.id, reason: missing.reason });
}
