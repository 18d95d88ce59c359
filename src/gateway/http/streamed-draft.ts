// What a streaming client has been sent so far, and whether it is still valid. A stream cannot take back what it sent:
// when a draft is voided, nothing more is sent until the answer is known, and then either the rest of it follows or the
// stream says that its beginning was replaced.

import type { LiveEvent } from '../../protocol/live-event.ts';

export class StreamedDraft {
  #sent = '';
  #call = 0;
  /** The position at which the text of the latest model call begins. */
  #callStart = 0;
  #isHeld = false;

  /** The text that this event adds for the client; it is often empty. */
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

  /** The rest of the answer, or undefined when the answer does not begin with what was sent. */
  finish(reply: string): string | undefined {
    if (reply.trim() === '') return this.#isHeld ? undefined : '';
    if (this.#sent.trim().endsWith(reply.trim())) return '';
    for (const told of [this.#sent, this.#sent.slice(this.#callStart)]) {
      if (reply.startsWith(told)) return reply.slice(told.length);
    }
    return undefined;
  }
}
