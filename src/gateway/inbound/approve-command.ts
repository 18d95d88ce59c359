// `/approve`: a person's answer to a tool call that waits, typed into a chat. Without arguments it lists the waiting
// calls. An answer that cannot be accepted gets a sentence that says what is possible; an approval that the person may
// not see is treated like one that does not exist.

import { type CommandPeople, isApprover } from '../../commands/audience.ts';
import type { CommandPlace } from '../../commands/chat-command.ts';
import { describeDuration } from '../../commands/chat-text.ts';
import { APPROVAL_DECISIONS, describeDecision } from '../../protocol/approval-decision.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import { isOperator, isOperatorChannel } from '../../protocol/operator-channels.ts';
import { isDescendant } from '../../sessions/is-descendant.ts';
import type { Store } from '../../store/store.ts';
import type { ApprovalRow } from '../../store/tables.ts';
import { shownLine } from '../../tools/approvals/shown-text.ts';
import { UnknownApprovalError } from '../../tools/errors.ts';
import type { Approvals } from '../services/approvals.ts';

export interface ApproveParts {
  readonly store: Store;
  readonly approvals: Pick<Approvals, 'answer'>;
  readonly people: Pick<CommandPeople, 'approvers' | 'owners'>;
  readonly now: () => number;
}

const USAGE = `Use /approve ID ${APPROVAL_DECISIONS.join(' | ')}. /approve alone lists what waits.`;

const NOT_ALWAYS =
  'Only the operator and those named in approvals.approvers may allow it always, because that holds for every session of the agent. Use allow-once.';

export async function approveCommand(parts: ApproveParts, args: readonly string[], who: CommandPlace): Promise<string> {
  const [id, word, ...rest] = args;
  if (id === undefined) return listWaiting(parts, who);
  try {
    const approval = await findApproval(parts, id, who);
    const decision = APPROVAL_DECISIONS.find((each) => each === word);
    if (decision === undefined || rest.length > 0) {
      return approval.status === 'waiting' ? `Use ${howToAnswer(approval)}.` : USAGE;
    }
    const writesRule = decision === 'allow-always' && approval.rule !== null;
    if (writesRule && !isApprover(who.inbound, parts.people)) return NOT_ALWAYS;
    const { surface } = who.inbound;
    const answered = await parts.approvals.answer(approval.id, decision, { by: answererName(who), surface });
    return `${answered.id} (${answered.title}): ${describeDecision(answered)}.`;
  } catch (error) {
    if (isAtriumError(error) && error.code.startsWith('ATRIUM_APPROVAL_')) return error.message;
    throw error;
  }
}

async function findApproval(parts: ApproveParts, id: string, who: CommandPlace): Promise<ApprovalRow> {
  const [approval] = await parts.store.select('approvals', { where: { id }, limit: 1 });
  if (approval && (await maySee(parts, who, approval))) return approval;
  throw new UnknownApprovalError({ approvalId: id.slice(0, LONGEST_ID) });
}

const LONGEST_ID = 40;
const MOST_LISTED = 10;

async function listWaiting(parts: ApproveParts, who: CommandPlace): Promise<string> {
  const { store, now } = parts;
  const all = await store.select('approvals', { where: { status: 'waiting' }, orderBy: [['seq', 'asc']] });
  const visible = await Promise.all(all.map((approval) => maySee(parts, who, approval)));
  const seen = all.filter((_, index) => visible[index]);
  if (seen.length === 0) return 'Nothing waits for an approval here.';
  const isHere = ({ sessionKey }: ApprovalRow) => sessionKey === who.sessionKey;
  const ordered = [...seen.filter(isHere), ...seen.filter((approval) => !isHere(approval))];
  const listed = ordered.slice(0, MOST_LISTED);
  const lines = listed.flatMap((approval) => {
    const where = isHere(approval) ? '' : ` in ${approval.sessionKey}`;
    const left = describeDuration(Math.max(0, approval.expiresAt - now()));
    return [`- ${approval.title}${where}, ${left} left: ${howToAnswer(approval)}`, `  ${beginningOf(approval)}`];
  });
  const rest = ordered.length - listed.length;
  return ['Waiting for an approval', ...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n');
}

/** The beginning is enough to distinguish the calls; the question itself shows the whole call. */
function beginningOf({ toolName, params }: ApprovalRow): string {
  const call = [...shownLine(`${toolName} ${JSON.stringify(params)}`)];
  return call.length <= LONGEST_CALL ? call.join('') : `${call.slice(0, LONGEST_CALL - 1).join('')}…`;
}

const LONGEST_CALL = 120;

function howToAnswer({ id, allowedDecisions }: ApprovalRow): string {
  return `/approve ${id} ${allowedDecisions.join(' | ')}`;
}

/**
 * Only the operator may see what is asked in another session. The questions of subagents are asked where the session is
 * that spawned them, so they are answered there too.
 */
async function maySee(
  { store, people }: ApproveParts,
  { inbound, sessionKey }: CommandPlace,
  approval: Pick<ApprovalRow, 'sessionKey'>,
): Promise<boolean> {
  if (isOperator(inbound, people.owners) || approval.sessionKey === sessionKey) return true;
  return isDescendant(store, sessionKey, approval.sessionKey);
}

/** The name in the record: the surface for the operator, the sender for other people. */
function answererName({ inbound: { surface, sender } }: CommandPlace): string {
  return isOperatorChannel(surface.channel) ? surface.channel : `${surface.channel}:${sender.id}`;
}
