// The plugin settings of the configuration, in the form that the plugin registry uses.

import { resolveAgentWorkspaceDir } from '../../config/agent-workspace.ts';
import { resolveDefaultAgentId } from '../../config/agents.ts';
import type { Environment } from '../../config/environment.ts';
import { pluginSettingsOf } from '../../config/plugin-settings.ts';
import type { Config } from '../../config/schema.ts';
import type { PluginsConfiguration } from '../../plugins/plugins-parts.ts';
import type { JsonObject } from '../../protocol/json.ts';

export function pluginsConfigurationOf(config: Config, environment: Environment): PluginsConfiguration {
  return {
    settings: pluginSettingsOf(config, environment.home),
    // A configuration file can only contain values that JSON has.
    config: config as unknown as JsonObject,
    workspaceDir: resolveAgentWorkspaceDir(config, resolveDefaultAgentId(config), environment.variables),
  };
}
