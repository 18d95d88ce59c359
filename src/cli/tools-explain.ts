// `atrium tools explain`: for each tool, whether an agent is offered it in a session, and which rule decided, by the code
// that decides for a run.

import type { ExplainedTool, ToolsExplanation } from '../gateway/services/explain-tools.ts';
import type { AddCommand } from './commands.ts';
import { formatTable, oneLine, outputWidth } from './output/format-table.ts';
import { addToolsOptions, loadToolsExplanation, type ToolsFlags } from './tools-explanation.ts';
import { toolsGroup } from './tools-group.ts';

export const addToolsExplain: AddCommand = (program, io) => {
  const command = toolsGroup(program)
    .command('explain')
    .description('print for each tool whether it is offered in a session, and which rule decided')
    .option('--session <key>', "the session (default: the agent's main session)")
    .addHelpText(
      'after',
      `
Examples:
  $ atrium tools explain --session agent:main:main
  $ atrium tools explain --session agent:main:subagent:x      what a subagent would have
  $ atrium tools explain --agent coder --model openai/gpt-5   with another model`,
    );
  addToolsOptions(command).action(async (flags: ToolsFlags) => {
    const explanation = await loadToolsExplanation(flags, io);
    io.out(flags.json ? `${JSON.stringify(explanation, null, 2)}\n` : formatExplanation(explanation, outputWidth(io)));
  });
};

const COLUMNS = [
  { title: 'tool', cell: ({ name }: ExplainedTool) => name },
  { title: 'offered', cell: ({ isOffered }: ExplainedTool) => (isOffered ? 'yes' : 'no') },
  { title: 'rule', cell: ({ rule }: ExplainedTool) => rule },
];

function formatExplanation(explanation: ToolsExplanation, width: number): string {
  const { sessionKey, agentId, provider, model, tools } = explanation;
  const facts = [
    ['session', sessionKey],
    ['agent', agentId],
    ['model', model === '' ? provider : `${provider}/${model}`],
  ];
  const offered = tools.filter(({ isOffered }) => isOffered).length;
  return [
    facts.map(([name = '', value = '']) => `${name.padEnd(8)} ${oneLine(value)}\n`).join(''),
    formatTable(tools, COLUMNS, width),
    `${offered} of ${tools.length} tools are offered.\n`,
  ].join('\n');
}
