// The configuration of plugins, with defaults for everything that it does not set.

import type { PluginEntry, PluginSettings } from '../protocol/plugin-settings.ts';
import type { Config } from './schema.ts';
import { resolveUserPath } from './user-path.ts';

export function pluginSettingsOf(config: Config, home: string): PluginSettings {
  const { plugins = {} } = config;
  const { memoryMb = 512, heartbeatMs = 1_000 } = plugins.worker ?? {};
  const memory = plugins.slots?.memory?.trim();
  return {
    enabled: plugins.enabled ?? true,
    allow: plugins.allow ?? [],
    deny: plugins.deny ?? [],
    loadPaths: (plugins.load?.paths ?? []).map((path) => resolveUserPath(path, home)),
    slots: memory ? { memory: memory === 'none' ? null : memory } : {},
    entries: Object.fromEntries(Object.entries(plugins.entries ?? {}).map(([id, entry]) => [id, entryOf(entry)])),
    worker: { memoryMb, heartbeatMs },
  };
}

type WrittenEntry = NonNullable<NonNullable<Config['plugins']>['entries']>[string];

function entryOf({ enabled, required, isolation, config, hooks = {} }: WrittenEntry): PluginEntry {
  const { timeoutMs, timeouts, allowConversationAccess, allowPromptInjection } = hooks;
  const allowed = { timeoutMs, timeouts, allowConversationAccess, allowPromptInjection };
  return { enabled, required, isolation, config, hooks: allowed };
}
