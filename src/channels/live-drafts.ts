// What each running run has shown so far, so that a client that comes in the middle sees the whole draft. Best effort
// and in memory only: what counts is delivered as parts.

import type { LiveFrame } from './server-frame.ts';

export class LiveDrafts {
  /** By session key; a session has one run at a time. The one that began last is at the end. */
  readonly #drafts = new Map<string, LiveFrame[]>();

  watch(frame: LiveFrame): void {
    const { sessionKey } = frame;
    const draft = this.#drafts.get(sessionKey);
    switch (frame.type) {
      case 'run-start':
        this.#drafts.delete(sessionKey);
        this.#drafts.set(sessionKey, isSuspended(frame.runId, draft) ? [...(draft ?? []), frame] : [frame]);
        if (this.#drafts.size > MOST_DRAFTS) this.#drafts.delete(this.#drafts.keys().next().value ?? '');
        return;
      case 'run-end':
        this.#drafts.delete(sessionKey);
        return;
      case 'text-delta':
        if (draft) appendText(draft, frame);
        return;
      case 'text-reset':
        if (draft)
          this.#drafts.set(
            sessionKey,
            draft.filter((shown) => !isTextOf(shown, frame.call)),
          );
        return;
      case 'tool-start':
      case 'tool-end':
      case 'approval-start':
      case 'approval-end':
        if (draft && draft.length < MOST_FRAMES) draft.push(frame);
        return;
    }
  }

  /** The frames that bring a client up to now; none when nothing is running. */
  replay(sessionKey: string): readonly LiveFrame[] {
    return this.#drafts.get(sessionKey) ?? [];
  }
}

const MOST_DRAFTS = 1_000;
const MOST_FRAMES = 200;
const LONGEST_DRAFT = 200_000;

/** A run that goes on after an answer goes on with its draft; one that is taken up again starts it over. */
function isSuspended(runId: string, draft: readonly LiveFrame[] = []): boolean {
  const last = draft.at(-1);
  return last?.runId === runId && (last.type === 'approval-start' || last.type === 'approval-end');
}

/** Deltas of one call that follow each other are kept as one. */
function appendText(draft: LiveFrame[], frame: LiveFrame & { type: 'text-delta' }): void {
  const last = draft.at(-1);
  if (last?.type !== 'text-delta' || last.call !== frame.call) {
    if (draft.length < MOST_FRAMES) draft.push(frame);
  } else if (last.text.length < LONGEST_DRAFT) {
    draft[draft.length - 1] = { ...last, text: (last.text + frame.text).slice(0, LONGEST_DRAFT) };
  }
}

function isTextOf(frame: LiveFrame, call: number): boolean {
  return frame.type === 'text-delta' && frame.call === call;
}
