// Asks `before_agent_run` whether the model may read this message. It fails closed: a gate that throws, hangs or gives
// an invalid answer blocks. Until it has passed, the recorder stores hashes only.

import { requesterOf } from '../protocol/requester.ts';
import type { OpenRun } from './open-run.ts';
import type { RequestDraft } from './request-draft.ts';
import type { RunParts } from './run-parts.ts';
import { toldHistory } from './told-history.ts';

export type GateResult = { readonly blocked: false } | BlockedRun;

export interface BlockedRun {
  readonly blocked: true;
  /** The plugin that blocked the run. */
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
      // A gate judges all words of people: the text of a file, and what the message quotes, are part of it.
      prompt: [run.text, ...draft.judged.map(({ text }) => text)].filter((text) => text !== '').join('\n\n'),
      messages: toldHistory(parts.hooks, 'before_agent_run', run),
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
  // The reason may quote what was said, so it is not shown or stored; only the message that a plugin wrote for people
  // is used.
  const by = refusal.cause === 'failure' ? 'before_agent_run' : refusal.owner;
  const message = refusal.cause === 'decision' ? result.message : undefined;
  void parts.tell('gate-blocked', { run, by });
  return { blocked: true, by, text: blockNotice(message, by) };
}

/** While a gate had not passed, watchers were told that a message came in but not its words. These are the words. */
function hiddenSoFar({ hooks }: RunParts, { inbound, kind }: OpenRun): OpenRun['inbound'] | undefined {
  return hooks.has('before_agent_run') && (kind === 'message' || kind === 'api' || kind === 'webhook')
    ? inbound
    : undefined;
}

/** What people read instead of an answer. The words are the plugin contract's. */
export function blockNotice(message: unknown, by: string | undefined): string {
  const said = typeof message === 'string' ? message.trim() : '';
  const who = by?.trim() ? `blocked by ${by.trim()}` : 'blocked';
  if (said === '') return `Your message could not be sent: ${who}`;
  return `Your message could not be sent: ${said}${who === 'blocked' ? '' : ` (${who})`}`;
}
