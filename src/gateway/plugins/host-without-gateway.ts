// What a plugin can ask for while a command has loaded it and no gateway has: its log, keys of providers and its own
// configuration. The rest is refused, unless the command hands in a way to a running gateway.

import type { Environment } from '../../config/environment.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { findApiKey } from '../../config/model-provider.ts';
import type { PluginHost, PluginLogEntry } from '../../plugins/plugin-host.ts';
import { refusingHost } from '../../plugins/refusing-host.ts';
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
  const refuseAll = refusingHost(pluginId, 'on the command line there is no gateway that could do it', (entry) =>
    log(pluginId, entry),
  );
  return {
    ...refuseAll,
    ...(callGateway && { callMethod: ({ method, params }) => callGateway(method, params) }),
    writeConfig: (wanted) => writePluginConfig({ environment, isTrial, config: () => config }, pluginId, wanted),
    readProviderKey: async (provider) => findApiKey(loaded.config, provider, environment.variables),
  };
}
