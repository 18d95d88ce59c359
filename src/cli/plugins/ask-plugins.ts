// The plugins for commands that look at them: as the running gateway has them, else as a gateway that starts now would
// find them. Nothing is loaded for it.
//
// Errors: `findPlugin` throws UnknownPluginError with the nearest name.

import { loadConfig } from '../../config/load-config.ts';
import { UnknownPluginError } from '../../plugins/errors.ts';
import type { PluginStatus } from '../../plugins/plugin-status.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import type { CliIo } from '../cli-io.ts';
import { GatewayDownError } from '../errors.ts';
import { type GatewayClient, openGatewayClient } from '../gateway/gateway-client.ts';
import { oneLine } from '../output/format-table.ts';

export interface AskedPlugins {
  readonly plugins: readonly PluginStatus[];
  /** False when no gateway runs, so that what they register is not known. */
  readonly isRunning: boolean;
}

export async function askPlugins(io: CliIo): Promise<AskedPlugins> {
  const asked = await askRunning(io, (client) => client.get<{ plugins: readonly PluginStatus[] }>('/api/plugins'));
  return asked ? { plugins: asked.plugins, isRunning: true } : { plugins: await surveyPlugins(io), isRunning: false };
}

/** As the files and the configuration are now, whatever a gateway has loaded. */
export async function surveyPlugins(io: CliIo): Promise<readonly PluginStatus[]> {
  const { environment } = io;
  const { config } = await loadConfig({ environment });
  const { surveyHomePlugins } = await import('../../gateway/survey-home-plugins.ts');
  const { plugins, problems } = await surveyHomePlugins(config, environment);
  for (const problem of problems) io.err(`warning: ${oneLine(problem)}\n`);
  return plugins;
}

export function findPlugin(plugins: readonly PluginStatus[], id: string): PluginStatus {
  const plugin = plugins.find((each) => each.id === id);
  if (plugin) return plugin;
  const ids = plugins.map((each) => each.id);
  throw new UnknownPluginError({ pluginId: oneLine(id), suggestion: nearMatch(id, ids) });
}

async function askRunning<Value>(
  io: CliIo,
  ask: (client: GatewayClient) => Promise<Value>,
): Promise<Value | undefined> {
  let client: GatewayClient;
  try {
    client = await openGatewayClient(io);
  } catch (error) {
    if (error instanceof GatewayDownError) return undefined;
    throw error;
  }
  try {
    return await ask(client);
  } finally {
    await client.close();
  }
}
