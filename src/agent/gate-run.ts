// Asks `before_agent_run` whether the model may read this at all. Fails closed: a gate that throws, hangs or answers
// nonsense blocks. Until it has passed, the recorder keeps hashes only.

import { requesterOf } from '../protocol/requester.ts';
import type { OpenRun } from './open-run.ts';
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

export async function gateRun(parts: RunParts, run: OpenRun, draft: RequestDraft): Promise<GateResult> {
  const { surface, sender } = run.inbound;
  void parts.tell('context-composed', { run, composition: draft.composition });
  const { refusal, result } = await parts.hooks.run(
    'before_agent_run',
    {
      prompt: run.text,
      messages: run.history,
      systemPrompt: draft.request.system.map(({ text }) => text).join(''),
      accountId: surface.accountId,
      channelId: surface.peer.id,
      senderId: sender.id,
      senderIsOwner: parts.isOwner({ sessionKey: run.sessionKey, requester: requesterOf(run.inbound) }),
    },
    run.context,
    { signal: run.signal },
  );
  if (!refusal) {
    void parts.tell('gate-passed', { run, shown: hiddenSoFar(parts, run) });
    return { blocked: false };
  }
  // The reason may quote what was said, so it goes nowhere; only the message that a plugin wrote for people does.
  const by = refusal.cause === 'failure' ? 'before_agent_run' : refusal.owner;
  const message = refusal.cause === 'decision' ? result.message : undefined;
  void parts.tell('gate-blocked', { run, by });
  return { blocked: true, by, text: blockNotice(message, by) };
}

/** Those who watch were told that something came in, and not what, while a gate stood before it. */
function hiddenSoFar({ hooks }: RunParts, { inbound, kind }: OpenRun): OpenRun['inbound'] | undefined {
  return hooks.has('before_agent_run') && (kind === 'message' || kind === 'api') ? inbound : undefined;
}

/** What people read in the place of an answer. The words are the plugin contract's. */
export function blockNotice(message: unknown, by: string | undefined): string {
  const said = typeof message === 'string' ? message.trim() : '';
  const who = by?.trim() ? `blocked by ${by.trim()}` : 'blocked';
  if (said === '') return `Your message could not be sent: ${who}`;
  return `Your message could not be sent: ${said}${who === 'blocked' ? '' : ` (${who})`}`;
}
