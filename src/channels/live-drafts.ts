// What each running run has shown so far, so that a client that connects in the middle of a run sees the whole draft.
// The drafts are in memory only and may be lost; the answer itself is delivered as parts.

import type { LiveFrame } from './server-frame.ts';

export class LiveDrafts {
  /** The drafts by session key; a session has one run at a time. The run that began last is at the end. */
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
      case 'wait-start':
      case 'wait-end':
      case 'child-start':
      case 'child-end':
        if (draft && draft.length < MOST_FRAMES) draft.push(frame);
        return;
    }
  }

  /** Returns the frames that bring a client up to date, or none when no run is active. */
  replay(sessionKey: string): readonly LiveFrame[] {
    return this.#drafts.get(sessionKey) ?? [];
  }
}

const MOST_DRAFTS = 1_000;
const MOST_FRAMES = 200;
const LONGEST_DRAFT = 200_000;

/**
 * A run that continues after an approval or a wait keeps its draft; a run that is taken up again after a crash starts a
 * new draft.
 */
function isSuspended(runId: string, draft: readonly LiveFrame[] = []): boolean {
  const last = draft.at(-1);
  return last?.runId === runId && SUSPENDING.has(last.type);
}

const SUSPENDING: ReadonlySet<LiveFrame['type']> = new Set([
  'approval-start',
  'approval-end',
  'wait-start',
  'wait-end',
]);

/** Neighbouring deltas of one call are kept as one frame. */
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
