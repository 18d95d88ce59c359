// Keeps the questions and answers about a call valid when their handler does not ask any more. A handler that is still
// registered may have changed its mind, and then its open question is void. When the handler is gone, because its
// plugin was disabled or no longer loads, its question stays: a gate must not open because its plugin was removed.

import { isDeepStrictEqual } from 'node:util';
import type { ApprovalRow } from '../store/tables.ts';
import type { GatePass, GateVeto } from '../tools/gate-tool-call.ts';

export type HeldCall = GatePass | GateVeto | { readonly kind: 'waiting'; readonly approval: ApprovalRow };

/** `asked` are the questions about this call that count, answered or not. */
export function holdToAnswers(
  gate: GatePass,
  asked: readonly ApprovalRow[],
  isThere: (asker: string) => boolean,
): HeldCall {
  const refused = asked.find(isRefused);
  if (refused) return vetoOf(refused, gate.params);
  const orphan = asked.find(({ askedBy }) => !askedBy.split(', ').every((asker) => isThere(asker)));
  if (!orphan) return gate;
  if (orphan.status === 'waiting') return { kind: 'waiting', approval: orphan };
  if (isDeepStrictEqual(orphan.params, gate.params)) return gate;
  const reason = `What would run now is not what was allowed, because ${orphan.askedBy} is gone. It was not run.`;
  return { kind: 'veto', reason, by: orphan.askedBy, cause: 'approval', params: gate.params };
}

/** The words are the plugin contract's. */
export function vetoOf(
  { decision, askedBy: by }: Pick<ApprovalRow, 'decision' | 'askedBy'>,
  params: GateVeto['params'],
): GateVeto {
  const reason = decision === 'timeout' || decision === 'cancelled' ? REASONS[decision] : REASONS.deny;
  return { kind: 'veto', reason, by, cause: 'approval', params };
}

/** The plugin contract's words. */
const REASONS = {
  deny: 'Denied by user',
  timeout: 'Approval timed out',
  cancelled: 'Approval cancelled (run aborted)',
} as const;

function isRefused({ decision, timeoutBehavior }: ApprovalRow): boolean {
  return decision === 'deny' || (decision === 'timeout' && timeoutBehavior !== 'allow');
}
