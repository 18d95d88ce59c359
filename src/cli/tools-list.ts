// `atrium tools list`: the tools of this installation, who brought them, and which of them an agent is offered in its main
// session.

import type { ExplainedTool } from '../gateway/services/explain-tools.ts';
import { clip } from '../protocol/one-line.ts';
import type { AddCommand } from './commands.ts';
import { formatTable, oneLine, outputWidth } from './output/format-table.ts';
import { addToolsOptions, loadToolsExplanation, type ToolsFlags } from './tools-explanation.ts';
import { toolsGroup } from './tools-group.ts';

export const addToolsList: AddCommand = (program, io) => {
  const command = toolsGroup(program)
    .command('list')
    .description('print the tools that there are, and which of them an agent is offered');
  addToolsOptions(command).action(async (flags: ToolsFlags) => {
    const { agentId, tools } = await loadToolsExplanation(flags, io);
    if (flags.json) io.out(`${JSON.stringify({ agentId, tools }, null, 2)}\n`);
    else io.out(formatTable(tools, COLUMNS, outputWidth(io)));
  });
};

const COLUMNS = [
  { title: 'tool', cell: ({ name }: ExplainedTool) => name },
  { title: 'offered', cell: ({ isOffered }: ExplainedTool) => (isOffered ? 'yes' : 'no') },
  { title: 'from', cell: ({ owner }: ExplainedTool) => owner ?? 'atrium' },
  { title: 'group', cell: ({ groups }: ExplainedTool) => groups.join(' ') || '-' },
  { title: 'does', cell: ({ description }: ExplainedTool) => firstSentence(description) },
];

const LONGEST_SENTENCE = 160;

/** Descriptions are written for models and may be long. */
function firstSentence(description: string): string {
  const text = oneLine(description);
  const end = text.search(/[.!?](?:\s|$)/);
  return clip(end === -1 ? text : text.slice(0, end + 1), LONGEST_SENTENCE);
}
