// Switches a plugin on or off in the configuration, for a command; comments in the file survive. It says exactly what
// was written and where, writes nothing when the value is set already, and tells a running gateway.

import { type ConfigPath, formatConfigPath, valueAt } from '../../config/config-path.ts';
import { appendConfigValue, resolveConfigFileToEdit, setConfigValue } from '../../config/edit-config.ts';
import { loadConfig } from '../../config/load-config.ts';
import type { Config } from '../../config/schema.ts';
import type { CliIo } from '../cli-io.ts';
import type { Answer } from '../command.ts';
import { oneLine } from '../output/text.ts';
import { describeState, findPlugin, surveyPlugins } from './ask-plugins.ts';
import { tellGateway } from './tell-gateway.ts';

export async function switchPlugin(id: string, enabled: boolean, io: CliIo): Promise<Answer> {
  const location = { environment: io.environment };
  findPlugin(await surveyPlugins(io), id);
  const { config } = await loadConfig(location);
  const path: ConfigPath = ['plugins', 'entries', id, 'enabled'];
  const isWritten = valueAt(config, path) === enabled;
  if (!isWritten) {
    const file = await resolveConfigFileToEdit(location, path);
    await setConfigValue(file, path, enabled);
    io.out(`Wrote ${formatConfigPath(path)} = ${enabled} to ${file}.\n`);
  }
  const isAdded = enabled && (await addToAllowed(id, config, io));
  if (isWritten && !isAdded) {
    io.out(`${oneLine(id)} is ${enabled ? 'enabled' : 'disabled'} already; nothing was written.\n`);
  }
  await sayEffect(id, io);
  return {};
}

/** A list of allowed plugins without this one would still keep it out. */
async function addToAllowed(id: string, { plugins }: Config, io: CliIo): Promise<boolean> {
  const allow = plugins?.allow ?? [];
  if (allow.length === 0 || allow.includes(id)) return false;
  const path: ConfigPath = ['plugins', 'allow'];
  const file = await resolveConfigFileToEdit({ environment: io.environment }, path);
  await appendConfigValue(file, path, id);
  io.out(`Added ${oneLine(id)} to ${formatConfigPath(path)} in ${file}.\n`);
  return true;
}

async function sayEffect(id: string, io: CliIo): Promise<void> {
  const told = await tellGateway(id, io);
  if (told.told === 'failed') io.err(`warning: The running gateway did not follow: ${oneLine(told.reason)}\n`);
  const plugin = told.told === 'reloaded' ? told.plugin : undefined;
  const known = plugin ?? findPlugin(await surveyPlugins(io), id);
  io.out(known.state === 'pending' ? 'It is loaded when a gateway starts.\n' : `${describeState(known)}\n`);
}
