// The text of an answer that is still coming. It remembers what of it was printed, so that the delivered answer adds
// only what is missing: a person who typed meanwhile, or came back in the middle, reads every sentence once.

import { terminalText } from '../output/text.ts';

/** How a draft gets onto a screen. */
export interface DraftPrinter {
  /** How many of the first characters can be printed for good. More text may change what the rest means. */
  finished(text: string): number;
  /** Prints text that stays as it is. `isFirst` is true at the beginning of an answer. */
  print(text: string, isFirst: boolean): void;
  /** Shows the rest for now; an empty text shows nothing. */
  preview(text: string): void;
  /** Whatever is written next begins a line. */
  endLine(): void;
}

export class ChatDraft {
  readonly #printer: DraftPrinter;
  /** As it arrived, without what was confirmed. */
  #text = '';
  /** How much of it was printed for good. */
  #printed = 0;
  #isShown = false;
  #hasPrinted = false;
  /** The run and the call of a model that the text is from. */
  runId = '';
  call = 0;

  constructor(printer: DraftPrinter) {
    this.#printer = printer;
  }

  get isEmpty(): boolean {
    return this.#text === '';
  }

  add(text: string, isShown: boolean): void {
    this.#text += terminalText(text);
    this.#isShown = isShown;
    if (isShown) this.#print(this.#printed + this.#printer.finished(this.#text.slice(this.#printed)));
    this.#printer.preview(isShown ? this.#text.slice(this.#printed) : '');
  }

  /**
   * The answer, or a part of it, was delivered. Prints what of it is not printed yet. Returns false when the draft says
   * something else; then nothing has happened.
   */
  confirm(delivered: string): boolean {
    const said = terminalText(delivered).trim();
    const begin = this.#text.length - this.#text.trimStart().length;
    const rest = this.#text.slice(begin);
    if (said === '' || rest === '') return false;
    // The last words of a draft can be missing, because nothing waits for them.
    if (said.startsWith(rest.trimEnd())) this.#text = this.#text.slice(0, begin) + said;
    else if (!rest.startsWith(said)) return false;
    const end = begin + said.length;
    this.#print(end);
    this.#text = this.#text.slice(end);
    this.#printed = Math.max(0, this.#printed - end);
    if (this.#text.trim() === '') this.#forget();
    else this.#printer.preview(this.#isShown ? this.#text.slice(this.#printed) : '');
    return true;
  }

  /** Nothing more comes. What was shown stays. */
  end(): void {
    if (this.#isShown) this.#print(this.#text.length);
    this.#forget();
  }

  /** Something else is written below what was printed so far. */
  pause(): void {
    this.#printer.endLine();
  }

  /** Prints up to this place. */
  #print(end: number): void {
    const text = this.#text.slice(this.#printed, end);
    this.#printed = Math.max(this.#printed, end);
    if (text === '') return;
    this.#printer.preview('');
    this.#printer.print(text, !this.#hasPrinted);
    this.#hasPrinted = true;
  }

  #forget(): void {
    this.#printer.preview('');
    this.#printer.endLine();
    this.#text = '';
    this.#printed = 0;
    this.#hasPrinted = false;
    this.#isShown = false;
  }
}

/** Prints letters as they come, for a screen that cannot be drawn again. */
export class TypedDraft implements DraftPrinter {
  readonly #write: (text: string) => void;
  #isLineOpen = false;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  finished(text: string): number {
    return text.length;
  }

  print(text: string): void {
    this.#write(text);
    this.#isLineOpen = !text.endsWith('\n');
  }

  preview(): void {}

  endLine(): void {
    if (this.#isLineOpen) this.#write('\n');
    this.#isLineOpen = false;
  }
}
