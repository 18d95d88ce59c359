// Switches a plugin on or off in the configuration, for a command; comments in the file survive. It says exactly what
// was written and where, writes nothing when the value is set already, and tells a running gateway.

import { writePluginDecision } from '../../gateway/plugins/write-plugin-decision.ts';
import type { CliIo } from '../cli-io.ts';
import type { Answer } from '../command.ts';
import { oneLine } from '../output/text.ts';
import { describeState, findPlugin, surveyPlugins } from './ask-plugins.ts';
import { tellGateway } from './tell-gateway.ts';

export async function switchPlugin(id: string, enabled: boolean, io: CliIo): Promise<Answer> {
  findPlugin(await surveyPlugins(io), id);
  const written = await writePluginDecision({ environment: io.environment }, id, { enabled });
  for (const { setting, value, file, how } of written) {
    const place = oneLine(setting);
    io.out(
      how === 'set' ? `Wrote ${place} = ${value} to ${file}.\n` : `Added ${oneLine(id)} to ${place} in ${file}.\n`,
    );
  }
  if (written.length === 0) {
    io.out(`${oneLine(id)} is ${enabled ? 'enabled' : 'disabled'} already; nothing was written.\n`);
  }
  await sayEffect(id, io);
  return {};
}

async function sayEffect(id: string, io: CliIo): Promise<void> {
  const told = await tellGateway(id, io);
  if (told.told === 'failed') io.err(`warning: The running gateway did not follow: ${oneLine(told.reason)}\n`);
  const plugin = told.told === 'reloaded' ? told.plugin : undefined;
  const known = plugin ?? findPlugin(await surveyPlugins(io), id);
  io.out(known.state === 'pending' ? 'It is loaded when a gateway starts.\n' : `${describeState(known)}\n`);
}
