// Decides whether the answers of a run go to its surface. Sessions of people answer where they were asked. A child
// speaks through its parent, unless it has a thread of its own and stays there; what other agents tell a session of a
// job stays in that session. A person who writes to any of them is answered.

import type { Inbound } from '../../protocol/inbound.ts';
import { isCronSessionKey, isSubagentSessionKey } from '../../protocol/session-key.ts';
import type { ChildRow, TriggerKind } from '../../store/tables.ts';

export function speaksItself(run: {
  readonly sessionKey: string;
  readonly kind: TriggerKind;
  readonly inbound: Pick<Inbound, 'fromAgent'>;
  readonly child: Pick<ChildRow, 'boundTo' | 'mode'> | undefined;
}): boolean {
  const { sessionKey, kind, inbound, child } = run;
  if (isCronSessionKey(sessionKey)) return kind !== 'completion';
  if (!isSubagentSessionKey(sessionKey)) return true;
  const isInternal = kind === 'spawn' || kind === 'completion' || inbound.fromAgent !== undefined;
  return !isInternal || isInThread(child);
}

/** Whether the child stays in a thread of its own and answers there. */
export function isInThread(child: Pick<ChildRow, 'boundTo' | 'mode'> | undefined): boolean {
  return child !== undefined && child.boundTo !== null && child.mode === 'session';
}
