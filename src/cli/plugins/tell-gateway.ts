// Tells a running gateway that its plugins have changed. Without one nothing has to be told: the next start reads the
// change.

import type { PluginStatus } from '../../plugins/plugin-status.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import type { CliIo } from '../cli-io.ts';
import { GatewayDownError, GatewayRefusedError } from '../errors.ts';
import { type GatewayClient, openGatewayClient, path } from '../gateway/gateway-client.ts';

export type ToldGateway =
  | { readonly told: 'no gateway' }
  | { readonly told: 'failed'; readonly reason: string }
  /** The plugin as it is now; undefined when the gateway does not have it. */
  | { readonly told: 'reloaded'; readonly plugin: PluginStatus | undefined };

/** Something of this plugin changed: its files or its settings. */
export function tellGateway(pluginId: string, io: CliIo): Promise<ToldGateway> {
  return talk(io, (client) => reload(client, pluginId));
}

export function tellUninstalled(pluginId: string, io: CliIo): Promise<ToldGateway> {
  return talk(io, async (client) => {
    await reload(client, pluginId);
    // The plugin may change again after the answer to a reload, so its current state is read.
    return find((await client.get<{ plugins: readonly PluginStatus[] }>('/api/plugins')).plugins, pluginId);
  });
}

async function talk(
  io: CliIo,
  ask: (client: GatewayClient) => Promise<PluginStatus | undefined>,
): Promise<ToldGateway> {
  let client: GatewayClient | undefined;
  try {
    client = await openGatewayClient(io);
    return { told: 'reloaded', plugin: await ask(client) };
  } catch (error) {
    if (error instanceof GatewayDownError && client === undefined) return { told: 'no gateway' };
    if (!isAtriumError(error)) throw error;
    return { told: 'failed', reason: error.message };
  } finally {
    await client?.close();
  }
}

/** A plugin that the gateway does not know yet, or not any more, is found by loading all plugins again. */
async function reload(client: GatewayClient, pluginId: string): Promise<PluginStatus | undefined> {
  try {
    return (await client.post<{ plugin: PluginStatus }>(path`/api/plugins/${pluginId}/reload`)).plugin;
  } catch (error) {
    if (!(error instanceof GatewayRefusedError) || error.httpStatus !== 404) throw error;
    const { plugins } = await client.post<{ plugins: readonly PluginStatus[] }>('/api/plugins/reload');
    return find(plugins, pluginId);
  }
}

/** A package with several entries is several plugins. */
function find(plugins: readonly PluginStatus[], pluginId: string): PluginStatus | undefined {
  return plugins.find(({ id }) => id === pluginId || id.startsWith(`${pluginId}/`));
}
