// The live events in the form that surfaces may show. As long as no handler can change what is sent, drafts are shown
// while they grow. While there is such a handler, deltas are held back, because it may still rewrite or cancel the
// answer; a draft that was shown before, or that turned out not to be the answer, is voided with a `text-reset`.
//
// This file does not know what is sent in the end: parts come from the outbox.

import type { LiveEvent } from '../protocol/live-event.ts';
import { OUTBOUND_HOOKS, type OutboundHook } from './delivery-hooks.ts';

type Listener = (event: LiveEvent) => void;
type Subscribe = (listener: Listener) => () => void;

export interface ShownEventsParts {
  readonly hooks: { has(hook: OutboundHook): boolean };
  readonly subscribe: Subscribe;
}

/** What a run has shown of its latest model call. */
interface ShownDraft {
  readonly attempt: number;
  readonly call: number;
  readonly text: string;
}

/** Every listener has its own drafts, because it may connect in the middle of a run. */
export function shownEvents({ hooks, subscribe }: ShownEventsParts): Subscribe {
  return (listener) => {
    const drafts = new Map<string, ShownDraft>();
    /** Runs of which a delta was held back. The rest of their text is held back too, because it would lack its beginning. */
    const held = new Set<string>();
    const voidDraft = (event: LiveEvent, reason: string) => {
      const draft = drafts.get(event.runId);
      if (!drafts.delete(event.runId) || draft === undefined) return;
      const { sessionKey, runId, at } = event;
      listener({ type: 'text-reset', sessionKey, runId, at, attempt: draft.attempt, call: draft.call, reason });
    };
    return subscribe((event) => {
      if (event.type === 'text-delta') {
        if (held.has(event.runId) || OUTBOUND_HOOKS.some((hook) => hooks.has(hook))) {
          held.add(event.runId);
          voidDraft(event, 'a plugin decides about the answer first');
          return;
        }
        const { runId, attempt, call, text } = event;
        const before = drafts.get(runId);
        const isSame = before?.attempt === attempt && before.call === call;
        drafts.set(runId, { attempt, call, text: isSame ? before.text + text : text });
      } else if (event.type === 'thought-delta') {
        // Thoughts tell what the answer will say.
        if (held.has(event.runId) || OUTBOUND_HOOKS.some((hook) => hooks.has(hook))) return;
      } else if (event.type === 'text-reset') {
        drafts.delete(event.runId);
      } else if (event.type === 'run-end') {
        held.delete(event.runId);
        const shown = drafts.get(event.runId)?.text.trim() ?? '';
        // What was shown until a person stopped the run stays in the conversation.
        const stays = event.status === 'stopped' || event.reply?.includes(shown);
        if (stays) drafts.delete(event.runId);
        else voidDraft(event, 'the answer is another one');
      }
      listener(event);
    });
  };
}
