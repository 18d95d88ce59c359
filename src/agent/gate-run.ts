// Asks `before_agent_run` whether the model may read this at all. Fails closed: a gate that throws, hangs or answers
// nonsense blocks. Until it has passed, the recorder keeps hashes only.

import { requesterOf } from '../protocol/requester.ts';
import type { Turn } from './open-turn.ts';
import type { RequestDraft } from './request-draft.ts';
import type { RunParts } from './run-parts.ts';

export type GateResult = { readonly blocked: false } | BlockedRun;

export interface BlockedRun {
  readonly blocked: true;
  /** The plugin that blocked it. */
  readonly by: string;
  /** What the person is told instead of an answer. */
  readonly text: string;
}

export async function gateRun(parts: RunParts, turn: Turn, draft: RequestDraft): Promise<GateResult> {
  const { surface, sender } = turn.inbound;
  parts.recorder.contextCompiled(turn.recorded, draft.composition);
  const { refusal, result } = await parts.hooks.run(
    'before_agent_run',
    {
      prompt: turn.text,
      messages: turn.history,
      systemPrompt: draft.request.system.map(({ text }) => text).join(''),
      accountId: surface.accountId,
      channelId: surface.peer.id,
      senderId: sender.id,
      senderIsOwner: parts.isOwner({ sessionKey: turn.sessionKey, requester: requesterOf(turn.inbound) }),
    },
    turn.context,
    { signal: turn.signal },
  );
  if (!refusal) {
    parts.recorder.gatePassed(turn.recorded);
    if (parts.hooks.has('before_agent_run')) tellAccepted(parts, turn);
    return { blocked: false };
  }
  // The reason may quote what was said, so it goes nowhere; only the message that a plugin wrote for people does.
  const by = refusal.cause === 'failure' ? 'before_agent_run' : refusal.owner;
  const message = refusal.cause === 'decision' ? result.message : undefined;
  parts.recorder.gateBlocked(turn.recorded, by);
  return { blocked: true, by, text: blockNotice(message, by) };
}

/** Whoever watches was told that something came in, and not what: a gate stood before it. */
function tellAccepted({ emit, now }: RunParts, { runId, sessionKey, inbound, kind }: Turn): void {
  if (kind !== 'message' && kind !== 'api') return;
  const { text, surface } = inbound;
  emit({ type: 'message-accepted', runId, sessionKey, at: now(), text, surface });
}

/** What people read in the place of an answer. The words are the plugin contract's. */
export function blockNotice(message: unknown, by: string | undefined): string {
  const said = typeof message === 'string' ? message.trim() : '';
  const who = by?.trim() ? `blocked by ${by.trim()}` : 'blocked';
  if (said === '') return `Your message could not be sent: ${who}`;
  return `Your message could not be sent: ${said}${who === 'blocked' ? '' : ` (${who})`}`;
}
