// Loads the plugins that may have a command of the command line, in this process. Of what they register only the commands
// are used: no hook is armed and no service starts. What a plugin asks of the gateway is asked of the running gateway, as
// far as that has a method for it.

import { HookRunner } from '../../hooks/runner.ts';
import { InlinePlugins } from '../../plugins/loading/inline-plugins.ts';
import type { Registered } from '../../plugins/plugin-registry.ts';
import { Plugins } from '../../plugins/plugins.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { pluginsConfigurationOf } from '../settings/plugins-configuration.ts';
import { type HostWithoutGatewayParts, hostWithoutGateway } from './host-without-gateway.ts';
import { readCliCommands } from './known-cli-commands.ts';

export interface PluginCliOptions extends HostWithoutGatewayParts {
  /** The word on the command line that is no command of the product. */
  readonly command: string;
  readonly warn: (sentence: string) => void;
  readonly now: () => number;
}

export interface OpenedPluginCli {
  readonly registered: readonly Registered<'cli'>[];
  readonly config: JsonObject;
  readonly workspaceDir: string;
  close(): Promise<void>;
}

export async function openPluginCli(options: PluginCliOptions): Promise<OpenedPluginCli> {
  const { environment, loaded, command, warn, now } = options;
  const { stateDir } = environment;
  const configuration = pluginsConfigurationOf(loaded.config, environment);
  const { config, workspaceDir } = configuration;
  const kept = await readCliCommands(stateDir);
  const owners = kept.filter(({ name }) => name === command).map(({ pluginId }) => pluginId);
  const inline = () => new InlinePlugins();
  const open = async (only: readonly string[]) => {
    const { settings } = configuration;
    const allow = only.length === 0 ? settings.allow : only;
    const plugins = new Plugins({
      ...configuration,
      settings: { ...settings, allow },
      stateDir,
      homeDir: environment.home,
      loaders: { worker: inline, inline },
      hooks: new HookRunner({ now }),
      hostFor: (pluginId) => hostWithoutGateway(options, pluginId),
      now,
      warn,
    });
    await plugins.open();
    return plugins;
  };
  const isAllowed = ({ settings }: typeof configuration, id: string) =>
    settings.allow.length === 0 || settings.allow.includes(id);
  const plugins = await open(owners.filter((id) => isAllowed(configuration, id)));
  return {
    registered: plugins.registered('cli'),
    config,
    workspaceDir,
    close: () => plugins.close(),
  };
}
