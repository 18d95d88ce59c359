// What the policy says about every tool, for the commands that print it. A running gateway is asked; without one, or with
// a configuration of its own, the command looks itself and takes no part.

import type { Command } from 'commander';
import { loadConfig } from '../config/load-config.ts';
import type { ToolsExplanation } from '../gateway/services/explain-tools.ts';
import type { CliIo } from './cli-io.ts';
import { GatewayDownError } from './errors.ts';
import { openGatewayClient } from './gateway/gateway-client.ts';
import { oneLine } from './output/format-table.ts';
import { writeWarnings } from './output/warnings.ts';

export interface ToolsFlags {
  readonly session?: string;
  readonly agent?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly config?: string;
  readonly json?: boolean;
}

export function addToolsOptions(command: Command): Command {
  return command
    .option('--agent <id>', 'the agent (default: the default agent)')
    .option('--provider <name>', 'as if this provider answered (default: that of the agent)')
    .option('--model <name>', 'as if this model answered, alone or as provider/model')
    .option('--config <file>', 'read this configuration file only')
    .option('--json', 'print JSON for programs');
}

/** Tools by name. What is odd about the lists goes to the error stream. */
export async function loadToolsExplanation(flags: ToolsFlags, io: CliIo): Promise<ToolsExplanation> {
  const explanation = (flags.config === undefined ? await askGateway(flags, io) : undefined) ?? (await look(flags, io));
  const tools = [...explanation.tools].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return { ...explanation, tools };
}

/** Undefined when no gateway is running. */
async function askGateway(flags: ToolsFlags, io: CliIo): Promise<ToolsExplanation | undefined> {
  const query = new URLSearchParams();
  for (const name of ['session', 'agent', 'provider', 'model'] as const) {
    if (flags[name] !== undefined) query.set(name, flags[name]);
  }
  try {
    const client = await openGatewayClient(io);
    try {
      const explanation = await client.get<ToolsExplanation>(`/api/tools/explain?${query}`);
      for (const warning of explanation.warnings) io.err(`warning: ${oneLine(warning)}\n`);
      return explanation;
    } finally {
      await client.close();
    }
  } catch (error) {
    if (error instanceof GatewayDownError) return undefined;
    throw error;
  }
}

async function look(flags: ToolsFlags, io: CliIo): Promise<ToolsExplanation> {
  const { environment } = io;
  const { session: sessionKey, agent: agentId, provider, model } = flags;
  const loaded = await loadConfig({ environment, configPath: flags.config });
  const { openPreview } = await import('../gateway/composer/open-preview.ts');
  const opened = await openPreview({ environment, loaded, now: () => io.now().getTime() });
  try {
    const explanation = await opened.explainTools({ sessionKey, agentId, provider, model });
    writeWarnings(loaded, explanation, io);
    return explanation;
  } finally {
    await opened.close();
  }
}
