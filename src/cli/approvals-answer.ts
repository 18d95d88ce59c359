// `atrium approvals answer`: an operator's word on a tool call that waits.

import { BadFlagError } from '../gateway/errors.ts';
import { APPROVAL_DECISIONS } from '../protocol/approval-decision.ts';
import { describeDecision } from '../protocol/describe-decision.ts';
import { approvalsGroup } from './approvals-group.ts';
import type { AddCommand } from './commands.ts';
import type { ToldApproval } from './format-approval.ts';
import { openGatewayClient } from './gateway/gateway-client.ts';
import { oneLine } from './output/format-table.ts';

export const addApprovalsAnswer: AddCommand = (program, io) => {
  approvalsGroup(program)
    .command('answer')
    .argument('<id>', 'the id of an approval')
    .argument('<decision>', APPROVAL_DECISIONS.join(', '))
    .description('answer a tool call that waits')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium approvals answer k3f9-x2mq allow-once

Needs a running gateway.`,
    )
    .action(async (id: string, word: string, flags: { readonly json?: boolean }) => {
      const decision = APPROVAL_DECISIONS.find((each) => each === word);
      if (!decision)
        throw new BadFlagError({
          flag: '<decision>',
          value: word,
          expected: `one of ${APPROVAL_DECISIONS.join(', ')}`,
        });
      const client = await openGatewayClient(io);
      const { approval } = await client.post<{ approval: ToldApproval }>(`/api/approvals/${encodeURIComponent(id)}`, {
        decision,
        from: 'cli',
      });
      if (flags.json) io.out(`${JSON.stringify(approval, null, 2)}\n`);
      else io.out(`${oneLine(`${approval.id} (${approval.title}): ${describeDecision(approval)}.`)}\n`);
    });
};
