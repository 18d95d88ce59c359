// `atrium tools`: which tools an agent is offered, and why, by the code that decides for a run. A running gateway is
// asked; without one, or with a configuration of its own, the command computes it itself and changes nothing.

import { loadConfig } from '../config/load-config.ts';
import type { ExplainedTool, ToolsExplanation } from '../gateway/services/explain-tools.ts';
import type { CliIo } from './cli-io.ts';
import { type CliCommand, command, type FlagsOf } from './command.ts';
import { CONFIG_OPTION } from './common-options.ts';
import { askRunning } from './gateway/gateway-client.ts';
import { type Columns, formatFacts, formatTable } from './output/format-table.ts';
import { firstSentence, line } from './output/text.ts';
import { writeWarnings } from './output/warnings.ts';

const TOOLS_OPTIONS = {
  '--agent <id>': 'the agent (default: the default agent)',
  '--provider <name>': 'as if this provider answered (default: that of the agent)',
  '--model <name>': 'as if this model answered, alone or as provider/model',
  ...CONFIG_OPTION,
} as const;

export const TOOL_COMMANDS: readonly CliCommand[] = [
  command({
    path: 'tools explain',
    summary: 'print for each tool whether it is offered in a session, and which rule decided',
    options: { '--session <key>': "the session (default: the agent's main session)", ...TOOLS_OPTIONS },
    examples: [
      'tools explain --session agent:main:main',
      'tools explain --session agent:main:subagent:x      what a subagent would have',
      'tools explain --agent coder --model openai/gpt-5   with another model',
    ],
    async run(flags, { io }) {
      const explanation = await loadToolsExplanation(flags, io);
      return { json: explanation, text: (width) => formatExplanation(explanation, width) };
    },
  }),
  command({
    path: 'tools list',
    summary: 'print the tools that there are, and which of them an agent is offered',
    options: TOOLS_OPTIONS,
    examples: ['tools list', "tools list --agent coder --json | jq -r '.tools[].name'"],
    async run(flags, { io }) {
      const { agentId, tools } = await loadToolsExplanation(flags, io);
      return { json: { agentId, tools }, text: (width) => formatTable(tools, LIST_COLUMNS, width) };
    },
  }),
];

type ToolsFlags = FlagsOf<typeof TOOLS_OPTIONS> & { readonly session?: string | undefined };

/** Tools by name. Warnings about the lists go to the error stream. */
async function loadToolsExplanation(flags: ToolsFlags, io: CliIo): Promise<ToolsExplanation> {
  const explanation = (flags.config === undefined && (await askGateway(flags, io))) || (await look(flags, io));
  const tools = [...explanation.tools].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return { ...explanation, tools };
}

async function askGateway({ session, agent, provider, model }: ToolsFlags, io: CliIo) {
  const query = { session, agent, provider, model };
  const explanation = await askRunning(io, (client) => client.get<ToolsExplanation>('/api/tools/explain', query));
  for (const warning of explanation?.warnings ?? []) io.err(line(`warning: ${warning}`));
  return explanation;
}

async function look(flags: ToolsFlags, io: CliIo): Promise<ToolsExplanation> {
  const { environment } = io;
  const { session: sessionKey, agent: agentId, provider, model } = flags;
  const loaded = await loadConfig({ environment, configPath: flags.config });
  const { openPreview } = await import('../gateway/composer/open-preview.ts');
  const opened = await openPreview({ environment, loaded, now: () => io.now().getTime() });
  try {
    const explanation = await opened.explainTools({ sessionKey, agentId, provider, model });
    writeWarnings(loaded, io, explanation.warnings);
    return explanation;
  } finally {
    await opened.close();
  }
}

const OFFERED_COLUMNS: Columns<ExplainedTool> = {
  tool: ({ name }) => name,
  offered: ({ isOffered }) => (isOffered ? 'yes' : 'no'),
};

const LIST_COLUMNS: Columns<ExplainedTool> = {
  ...OFFERED_COLUMNS,
  from: ({ owner }) => owner ?? 'atrium',
  group: ({ groups }) => groups.join(' ') || '-',
  does: ({ description }) => firstSentence(description),
};

function formatExplanation({ sessionKey, agentId, provider, model, tools }: ToolsExplanation, width: number): string {
  const offered = tools.filter(({ isOffered }) => isOffered).length;
  return [
    formatFacts([
      ['session', sessionKey],
      ['agent', agentId],
      ['model', model === '' ? provider : `${provider}/${model}`],
    ]),
    formatTable(tools, { ...OFFERED_COLUMNS, rule: ({ rule }) => rule }, width),
    `${offered} of ${tools.length} tools are offered.\n`,
  ].join('\n');
}
