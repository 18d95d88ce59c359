// What a streaming client has been told so far, and whether it still holds. A stream cannot take back what it sent: when
// a draft is voided, nothing more is sent until the answer is known, and then either the rest of it follows or the
// stream says that its beginning was replaced.

import type { LiveEvent } from '../../protocol/live-event.ts';

export class StreamedDraft {
  #sent = '';
  #call = 0;
  /** Where the text of the latest model call begins. */
  #callStart = 0;
  #isHeld = false;

  /** The text that this event adds for the client, often none. */
  add(event: LiveEvent): string {
    if (event.type === 'text-reset') {
      if (event.call === this.#call && this.#sent.length > this.#callStart) this.#isHeld = true;
      return '';
    }
    if (event.type !== 'text-delta' || event.text === '' || this.#isHeld) return '';
    const gap = event.call !== this.#call && this.#sent !== '' ? '\n\n' : '';
    if (event.call !== this.#call) {
      this.#call = event.call;
      this.#callStart = this.#sent.length + gap.length;
    }
    this.#sent += gap + event.text;
    return gap + event.text;
  }

  /** What is missing of the answer, or undefined when what was sent is not how it begins. */
  finish(reply: string): string | undefined {
    if (reply.trim() === '') return this.#isHeld ? undefined : '';
    if (this.#sent.trim().endsWith(reply.trim())) return '';
    for (const told of [this.#sent, this.#sent.slice(this.#callStart)]) {
      if (reply.startsWith(told)) return reply.slice(told.length);
    }
    return undefined;
  }
}
