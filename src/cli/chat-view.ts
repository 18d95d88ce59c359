// What a terminal chat shows, as text: frames of the socket in, characters out. Drafts are written as they come; a part
// that says the same as the draft is not written again. Knows nothing of sockets or keyboards.

import type { ServerFrame } from '../channels/server-frame.ts';
import { oneLine } from './format-table.ts';
import { terminalText } from './terminal-text.ts';

export class ChatView {
  readonly #write: (text: string) => void;
  readonly #isPlain: boolean;
  /** Parts up to this one have been shown. */
  #last: number;
  /** The draft on the screen, as it came. */
  #draft = '';
  #isLineOpen = false;
  #runId: string | undefined;

  constructor(write: (text: string) => void, options: { readonly isPlain: boolean; readonly after: number }) {
    this.#write = write;
    this.#isPlain = options.isPlain;
    this.#last = options.after;
  }

  /** The last part that was shown. */
  get last(): number {
    return this.#last;
  }

  /** True while a run is going on. */
  get isBusy(): boolean {
    return this.#runId !== undefined;
  }

  show(frame: ServerFrame): void {
    switch (frame.type) {
      case 'run-start':
        this.#runId = frame.runId;
        this.#voidDraft();
        return;
      case 'text-delta':
        if (!this.#isPlain) this.#open(terminalText(frame.text));
        this.#draft += frame.text;
        return;
      case 'text-reset':
        this.#voidDraft();
        this.#note(`trying again: ${frame.reason}`);
        return;
      case 'tool-start':
        this.#voidDraft();
        this.#note(`${frame.name} ${JSON.stringify(frame.params)}`);
        return;
      case 'tool-end':
        if (frame.isError) this.#note(`${frame.name} failed: ${frame.content}`);
        return;
      case 'run-end':
        this.#runId = undefined;
        return;
      case 'part':
        this.#showPart(frame.seq, frame.text);
        return;
      case 'error':
        this.#note(frame.message);
    }
  }

  #showPart(seq: number, text: string): void {
    if (seq <= this.#last) return;
    this.#last = seq;
    if (!this.#isPlain && this.#draft.trim() !== '' && this.#draft.trim() === text.trim()) this.#endLine();
    else {
      this.#endLine();
      this.#write(`${terminalText(text)}\n`);
    }
    this.#draft = '';
  }

  #open(text: string): void {
    if (text === '') return;
    this.#write(text);
    this.#isLineOpen = !text.endsWith('\n');
  }

  #endLine(): void {
    if (this.#isLineOpen) this.#write('\n');
    this.#isLineOpen = false;
  }

  #voidDraft(): void {
    this.#endLine();
    this.#draft = '';
  }

  #note(text: string): void {
    this.#endLine();
    const line = oneLine(text);
    this.#write(`  · ${line.length > 160 ? `${line.slice(0, 159)}…` : line}\n`);
  }
}
