// What each running run has shown so far, so that a client that connects in the middle of a run sees the whole draft.
// The drafts are in memory only and may be lost; the answer itself is delivered as parts. A draft is bounded by its size:
// of a run that shows more, the oldest steps are forgotten, never the latest, because these are what a person waits for.

import type { LiveFrame } from './server-frame.ts';

export class LiveDrafts {
  /** The drafts by session key; a session has one run at a time. The run that began last is at the end. */
  readonly #drafts = new Map<string, Draft>();

  watch(frame: LiveFrame): void {
    const { sessionKey } = frame;
    const draft = this.#drafts.get(sessionKey);
    switch (frame.type) {
      case 'run-start':
        this.#drafts.delete(sessionKey);
        this.#drafts.set(sessionKey, new Draft(isSuspended(frame.runId, draft?.frames) ? draft?.frames : [], frame));
        if (this.#drafts.size > MOST_DRAFTS) this.#drafts.delete(this.#drafts.keys().next().value ?? '');
        return;
      case 'run-end':
        this.#drafts.delete(sessionKey);
        return;
      case 'text-delta':
      case 'thought-delta':
        draft?.appendText(frame);
        return;
      case 'text-reset':
        draft?.forgetText(frame.call);
        return;
      case 'tool-start':
      case 'tool-end':
      case 'approval-start':
      case 'approval-end':
      case 'wait-start':
      case 'wait-end':
      case 'child-start':
      case 'child-end':
        draft?.append(frame);
        return;
    }
  }

  /** Returns the frames that bring a client up to date, or none when no run is active. */
  replay(sessionKey: string): readonly LiveFrame[] {
    return this.#drafts.get(sessionKey)?.frames ?? [];
  }
}

const MOST_DRAFTS = 1_000;
/** Characters of one draft. A client reads all of it at once when it connects. */
const LONGEST_DRAFT = 2_000_000;

class Draft {
  #frames: LiveFrame[] = [];
  #size = 0;

  constructor(before: readonly LiveFrame[] = [], start: LiveFrame) {
    for (const frame of [...before, start]) this.append(frame);
  }

  get frames(): readonly LiveFrame[] {
    return this.#frames;
  }

  append(frame: LiveFrame): void {
    this.#frames.push(frame);
    this.#size += sizeOf(frame);
    this.#shorten();
  }

  /** Neighbouring deltas of one call are kept as one frame. */
  appendText(frame: TextFrame): void {
    const last = this.#frames.at(-1);
    if (!last || !isText(last) || last.type !== frame.type || last.call !== frame.call) {
      this.append(frame);
      return;
    }
    this.#frames[this.#frames.length - 1] = { ...last, text: last.text + frame.text };
    this.#size += frame.text.length;
    this.#shorten();
  }

  forgetText(call: number): void {
    this.#frames = this.#frames.filter((frame) => !isText(frame) || frame.call !== call);
    this.#size = this.#frames.reduce((size, frame) => size + sizeOf(frame), 0);
  }

  /** The first frame says which run it is, and the last one is what goes on now. */
  #shorten(): void {
    while (this.#size > LONGEST_DRAFT && this.#frames.length > 2) {
      for (const frame of this.#frames.splice(1, 1)) this.#size -= sizeOf(frame);
    }
  }
}

function sizeOf(frame: LiveFrame): number {
  return isText(frame) ? frame.text.length : JSON.stringify(frame).length;
}

/** What a model says, or thinks. */
type TextFrame = LiveFrame & { type: 'text-delta' | 'thought-delta' };

function isText(frame: LiveFrame): frame is TextFrame {
  return frame.type === 'text-delta' || frame.type === 'thought-delta';
}

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
