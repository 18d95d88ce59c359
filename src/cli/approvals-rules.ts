// `atrium approvals rules`: the commands that may run without asking, because somebody said "allow-always".

import type { AllowRuleRow } from '../store/tables.ts';
import { approvalsGroup } from './approvals-group.ts';
import type { AddCommand } from './commands.ts';
import { openReadingClient } from './gateway/gateway-client.ts';
import { formatTable, outputWidth } from './output/format-table.ts';
import { formatTime } from './output/format-time.ts';

export const addApprovalsRules: AddCommand = (program, io) => {
  approvalsGroup(program)
    .command('rules')
    .description('list the commands that may run without asking')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium approvals rules
  $ atrium approvals rules --json | jq -r '.rules[].id'`,
    )
    .action(async (flags: { readonly json?: boolean }) => {
      const client = await openReadingClient(io);
      try {
        const { rules } = await client.get<{ rules: AllowRuleRow[] }>('/api/approvals/rules');
        if (flags.json) io.out(`${JSON.stringify({ rules }, null, 2)}\n`);
        else if (rules.length === 0) io.out('There are no rules; every command that needs an approval asks.\n');
        else {
          io.out(
            formatTable(
              rules,
              [
                { title: 'id', cell: (rule) => rule.id },
                { title: 'agent', cell: (rule) => rule.agentId },
                { title: 'tool', cell: (rule) => rule.toolName },
                { title: 'since', cell: (rule) => formatTime(rule.createdAt, io.environment.timezone) },
                { title: 'by', cell: (rule) => rule.createdBy },
                { title: 'in', cell: (rule) => rule.cwd || '.' },
                // Word by word, as they are compared.
                { title: 'command', cell: (rule) => rule.argv.map((word) => JSON.stringify(word)).join(' ') },
              ],
              outputWidth(io),
            ),
          );
        }
      } finally {
        await client.close();
      }
    });
};
