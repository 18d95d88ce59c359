// What a plugin can ask for while a command has loaded it and no gateway has: its log, keys of providers and its own
// configuration. The rest is refused, unless the command hands in a way to a running gateway.

import type { Environment } from '../../config/environment.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { findApiKey } from '../../config/model-provider.ts';
import { PluginRefusedError } from '../../plugins/errors.ts';
import type { PluginHost, PluginLogEntry } from '../../plugins/plugin-host.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import { writePluginConfig } from './write-plugin-config.ts';

export interface HostWithoutGatewayParts {
  readonly environment: Environment;
  readonly loaded: LoadedConfig;
  /** With true, plugins must not write the configuration. */
  readonly isTrial?: boolean | undefined;
  readonly log: (pluginId: string, entry: PluginLogEntry) => void;
  /** Calls a method of the running gateway; rejects when there is none. */
  readonly callGateway?: ((method: string, params: JsonObject) => Promise<JsonValue | undefined>) | undefined;
}

export function hostWithoutGateway(parts: HostWithoutGatewayParts, pluginId: string): PluginHost {
  const { environment, loaded, isTrial, log, callGateway } = parts;
  const config = loaded.config as unknown as JsonObject;
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
    callMethod: callGateway ? ({ method, params }) => callGateway(method, params) : refuse,
    writeConfig: (wanted) => writePluginConfig({ environment, isTrial, config: () => config }, pluginId, wanted),
    readProviderKey: async (provider) => findApiKey(loaded.config, provider, environment.variables),
  };
}
