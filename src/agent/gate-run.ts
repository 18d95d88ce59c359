// Asks `before_agent_run` whether the model may read this at all. Fails closed: a gate that throws, hangs or answers
// nonsense blocks. Until it has passed, the recorder keeps hashes only.

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
    },
    turn.context,
    { signal: turn.signal },
  );
  if (!refusal) {
    parts.recorder.gatePassed(turn.recorded);
    return { blocked: false };
  }
  // The reason may quote what was said, so it goes nowhere; only the message that a plugin wrote for people does.
  const by = refusal.cause === 'failure' ? 'before_agent_run' : refusal.owner;
  const message = refusal.cause === 'decision' ? result.message?.trim() : undefined;
  parts.recorder.gateBlocked(turn.recorded, by);
  const told = message ? `${message} (blocked by ${by})` : `blocked by ${by}`;
  return { blocked: true, by, text: `Your message could not be sent: ${told}` };
}
