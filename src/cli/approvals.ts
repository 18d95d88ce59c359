// `atrium approvals`: tool calls that wait for a person, and the rules that let some pass without one.

import { BadFlagError } from '../gateway/errors.ts';
import { APPROVAL_DECISIONS, describeDecision } from '../protocol/approval-decision.ts';
import type { AllowRuleRow, ApprovalRow } from '../store/tables.ts';
import { checkFilter } from './check-filter.ts';
import { type CliCommand, command } from './command.ts';
import { limitOption } from './common-options.ts';
import { path } from './gateway/gateway-client.ts';
import { listText, moreText } from './output/format-table.ts';
import { formatAge, formatTime } from './output/format-time.ts';
import { line, oneLine, visibleLine } from './output/text.ts';

/** An approval as the API gives it. */
type ToldApproval = Omit<ApprovalRow, 'digest'>;

export const APPROVAL_COMMANDS: readonly CliCommand[] = [
  command({
    path: 'approvals list',
    summary: 'list the tool calls that wait for a person',
    options: {
      '--all': 'also those that were answered',
      '--session <key>': 'only those of this session',
      '--limit <number>': limitOption(100),
    },
    examples: ['approvals list', "approvals list --all --json | jq '.approvals[] | [.id, .decision, .contextHash]'"],
    needs: 'reading',
    async run({ all, session, limit }, { client, io }) {
      const { approvals, next } = await client.get<{ approvals: ToldApproval[]; next: number | null }>(
        '/api/approvals',
        { status: all ? 'all' : 'waiting', limit, session },
      );
      if (approvals.length === 0) await checkFilter({ session }, client, io);
      const now = io.now().getTime();
      const shown = approvals.map((approval) => formatApproval(approval, now, io.environment.timezone)).join('\n');
      return { json: { approvals }, text: `${shown || 'Nothing waits for an approval.\n'}${moreText(next)}` };
    },
  }),
  command({
    path: 'approvals answer',
    summary: 'answer a tool call that waits',
    args: { '<id>': 'the id of an approval', '<decision>': APPROVAL_DECISIONS.join(', ') },
    examples: ['approvals answer k3f9-x2mq allow-once'],
    needs: 'gateway',
    async run({ id, decision }, { client }) {
      if (!APPROVAL_DECISIONS.some((each) => each === decision)) {
        const expected = `one of ${APPROVAL_DECISIONS.join(', ')}`;
        throw new BadFlagError({ flag: '<decision>', value: decision, expected });
      }
      const body = { decision, from: 'cli' };
      const { approval } = await client.post<{ approval: ToldApproval }>(path`/api/approvals/${id}`, body);
      return { json: approval, text: line(`${approval.id} (${approval.title}): ${describeDecision(approval)}.`) };
    },
  }),
  command({
    path: 'approvals rules',
    summary: 'list the commands that may run without asking',
    examples: ['approvals rules', "approvals rules --json | jq -r '.rules[].id'"],
    needs: 'reading',
    async run(_, { client, io }) {
      const { rules } = await client.get<{ rules: AllowRuleRow[] }>('/api/approvals/rules');
      const columns = {
        id: (rule: AllowRuleRow) => rule.id,
        agent: (rule: AllowRuleRow) => rule.agentId,
        tool: (rule: AllowRuleRow) => rule.toolName,
        since: (rule: AllowRuleRow) => formatTime(rule.createdAt, io.environment.timezone),
        by: (rule: AllowRuleRow) => rule.createdBy,
        in: (rule: AllowRuleRow) => rule.cwd || '.',
        // Shown word by word, because rules are compared word by word.
        command: (rule: AllowRuleRow) => rule.argv.map((word) => JSON.stringify(word)).join(' '),
      };
      return {
        json: { rules },
        text: listText(rules, columns, 'There are no rules; every command that needs an approval asks.'),
      };
    },
  }),
  command({
    path: 'approvals revoke',
    summary: 'take rules back, so that their commands ask again',
    args: { '<rules...>': 'ids of rules' },
    examples: ['approvals revoke rule_0mh3k9q2x4f8c1d07a5be'],
    needs: 'gateway',
    async run({ rules }, { client, say }) {
      for (const id of rules) {
        await client.delete(path`/api/approvals/rules/${id}`);
        say(`${id} is revoked.`);
      }
      return { json: { revoked: rules } };
    },
  }),
];

/** The plugin that asks, the time that is left or the outcome, and exactly what would run, without cutting it. */
function formatApproval(approval: ToldApproval, now: number, timezone: string): string {
  const { id, title, toolName, askedBy, severity, sessionKey, allowedDecisions, status, description } = approval;
  const asker = askedBy === toolName ? '' : ` (asked for by ${askedBy})`;
  const lines = [
    `${id}  ${title}${asker}`,
    `  ${severity}, ${howItStands(approval, now, timezone)}`,
    `  in ${sessionKey}`,
    ...(status === 'waiting' ? [`  atrium approvals answer ${id} ${allowedDecisions.join(' | ')}`] : []),
  ];
  const what = description.split('\n').map((each) => `    ${visibleLine(each)}`.trimEnd());
  return `${lines.map((each) => each.slice(0, each.search(/\S/)) + oneLine(each)).join('\n')}\n\n${what.join('\n')}\n`;
}

function howItStands(approval: ToldApproval, now: number, timezone: string): string {
  const { status, expiresAt, timeoutBehavior, decision, decidedBy, decidedAt } = approval;
  if (status === 'waiting') {
    return `${formatAge(expiresAt - now)} left, then ${timeoutBehavior === 'allow' ? 'allowed' : 'denied'}`;
  }
  const when = decidedAt === null ? '' : `, ${formatTime(decidedAt, timezone)}`;
  const isVoid = status === 'void' ? '; void, because what it asked for has changed' : '';
  return `${describeDecision({ decision, timeoutBehavior })}${byWhom(decision, decidedBy)}${when}${isVoid}`;
}

/** For a run that was stopped, the store has the reason instead of a name. */
function byWhom(decision: ToldApproval['decision'], decidedBy: string | null): string {
  if (decidedBy === null || decision === 'timeout') return '';
  return decision === 'cancelled' ? `, because ${decidedBy}` : ` by ${decidedBy}`;
}
