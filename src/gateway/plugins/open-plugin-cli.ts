// Loads the plugins that may have a command of the command line, in this process. Of what they register only the commands
// are used: no hook is armed and no service starts. What a plugin asks of the gateway is asked of the running gateway, as
// far as that has a method for it.

import type { Environment } from '../../config/environment.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { findApiKey } from '../../config/model-provider.ts';
import { HookRunner } from '../../hooks/runner.ts';
import { PluginRefusedError } from '../../plugins/errors.ts';
import { InlinePlugins } from '../../plugins/loading/inline-plugins.ts';
import type { PluginHost, PluginLogEntry } from '../../plugins/plugin-host.ts';
import type { Registered } from '../../plugins/plugin-registry.ts';
import { Plugins } from '../../plugins/plugins.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import { pluginsConfigurationOf } from '../plugins-configuration.ts';
import { readCliCommands } from './known-cli-commands.ts';
import { writePluginConfig } from './write-plugin-config.ts';

export interface PluginCliOptions {
  readonly environment: Environment;
  readonly loaded: LoadedConfig;
  /** The word on the command line that is no command of the product. */
  readonly command: string;
  readonly log: (pluginId: string, entry: PluginLogEntry) => void;
  /** Calls a method of the running gateway; rejects when there is none. */
  readonly callGateway: (method: string, params: JsonObject) => Promise<JsonValue | undefined>;
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
      hostFor: (pluginId) => hostOf(options, config, pluginId),
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

function hostOf(options: PluginCliOptions, config: JsonObject, pluginId: string): PluginHost {
  const { environment, loaded, log, callGateway } = options;
  const refuse = async (): Promise<never> => {
    throw new PluginRefusedError({ pluginId, detail: 'on the command line there is no gateway that could do it' });
  };
  return {
    log: (entry) => log(pluginId, entry),
    queueInjection: refuse,
    readSessionState: refuse,
    patchSessionState: refuse,
    enqueueSystemEvent: refuse,
    sendMessage: refuse,
    startRun: refuse,
    waitForRun: refuse,
    resolveApproval: refuse,
    cron: refuse,
    callMethod: ({ method, params }) => callGateway(method, params),
    writeConfig: (wanted) => writePluginConfig({ environment, config: () => config }, pluginId, wanted),
    readProviderKey: async (provider) => findApiKey(loaded.config, provider, environment.variables),
  };
}
