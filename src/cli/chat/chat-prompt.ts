// The keyboard and the screen of a chat in a terminal: a line editor with history, which does not draw while an answer
// is being written. What is typed meanwhile waits unless it is sent at once, and what is shown while a person types goes
// above the prompt. A paste of several lines is one message, and so are lines that end with a backslash. A question can
// stand in the place of the prompt, which one key answers. It knows nothing of gateways.

import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';
import { Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';

export interface ChatPromptSettings {
  readonly input: ReadStream;
  readonly output: WriteStream;
  /** The latest first. */
  readonly history: readonly string[];
  readonly historySize: number;
  /** Called for Ctrl-C on an empty line. */
  readonly interrupt: () => void;
  /** Called with a message that was typed before the chat asked for one. Returns true when it was sent and must not wait. */
  readonly sendAtOnce: (text: string) => boolean;
  /** The possible completions of a line. Never rejects. */
  readonly complete: (line: string) => Promise<readonly string[]>;
  /** How long a key must stay alone to be an answer, so that the first letter of a word is none. Default 250 ms. */
  readonly aloneMs?: number | undefined;
}

/** What one key can answer. */
export interface KeyQuestion {
  /** Stands where the prompt was. */
  readonly text: string;
  readonly keys: Readonly<Record<string, () => void>>;
}

const PROMPT = '> ';
/** It stands before each further line of a message. */
const MORE = '… ';
const ALONE_MS = 250;
/** With this code the terminal marks where a paste begins and ends. */
const MARK_PASTES = '\x1b[?2004h';
const UNMARK_PASTES = '\x1b[?2004l';

export class ChatPrompt {
  readonly #settings: ChatPromptSettings;
  readonly #screen: EditorScreen;
  readonly #lines: Interface & { history?: string[]; prevRows?: number };
  /** Messages that were typed before the chat asked for one. */
  readonly #typedAhead: string[] = [];
  /** The lines of a paste that are not sent yet. */
  #pasted: string[] = [];
  #isPasting = false;
  #isClosed = false;
  #taken: ((text: string | undefined) => void) | undefined;
  #question: KeyQuestion | undefined;
  #keyTimer: NodeJS.Timeout | undefined;

  constructor(settings: ChatPromptSettings) {
    this.#settings = settings;
    const { input, output, history, historySize, complete } = settings;
    this.#screen = new EditorScreen(output);
    this.#lines = createInterface({
      input,
      output: this.#screen,
      terminal: true,
      history: [...history],
      historySize,
      prompt: PROMPT,
      completer: (line: string, done: (error: null, found: [string[], string]) => void) =>
        void complete(line).then((found) => done(null, [[...found], line])),
    });
    input.on('keypress', this.#watchPastes);
    input.on('keypress', this.#watchKeys);
    this.#lines.on('line', (line) => this.#take(line));
    this.#lines.on('SIGINT', () => this.#interrupt());
    this.#lines.on('close', () => this.#end());
    output.write(MARK_PASTES);
  }

  /** The messages so far, the latest first. */
  get history(): readonly string[] {
    return this.#lines.history ?? [];
  }

  /** The next message; undefined when the input has ended. */
  next(): Promise<string | undefined> {
    const early = this.#typedAhead.shift();
    if (early !== undefined) {
      this.#settings.output.write(`${PROMPT}${early}\n`);
      return Promise.resolve(early);
    }
    if (this.#isClosed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#taken = resolve;
      this.#screen.isShown = true;
      this.#redraw();
    });
  }

  /** Shows text. While a person types it goes above the prompt, and must be whole lines. */
  write(text: string): void {
    const { output } = this.#settings;
    if (!this.#screen.isShown) {
      output.write(text);
      return;
    }
    this.#wipe();
    output.write(text);
    this.#redraw();
  }

  /** True while the line editor is on the screen. */
  get isShown(): boolean {
    return this.#screen.isShown;
  }

  /** Asks what one key answers, as long as nothing else is typed; undefined takes the question back. */
  ask(question: KeyQuestion | undefined): void {
    this.#question = question;
    clearTimeout(this.#keyTimer);
    this.#lines.setPrompt(question && this.#pasted.length === 0 ? question.text : PROMPT);
    if (this.#screen.isShown) this.write('');
  }

  /** Hands in a message as if it had been typed. */
  submit(text: string): void {
    if (!this.#taken) {
      this.#takeEarly(text);
      return;
    }
    this.#wipe();
    this.#settings.output.write(`${PROMPT}${text}\n`);
    this.#hand(text);
  }

  close(): void {
    this.#lines.close();
  }

  /** Takes the line editor off the screen. */
  #wipe(): void {
    const { output } = this.#settings;
    moveCursor(output, 0, -this.#lines.getCursorPos().rows);
    cursorTo(output, 0);
    clearScreenDown(output);
  }

  #redraw(): void {
    // Otherwise the editor would move up to where its text was before.
    this.#lines.prevRows = 0;
    this.#lines.prompt(true);
  }

  readonly #watchPastes = (_text: string | undefined, key: { name?: string } | undefined): void => {
    if (key?.name === 'paste-start') this.#isPasting = true;
    if (key?.name === 'paste-end') this.#isPasting = false;
  };

  /** A key that arrives with others, or is followed by others at once, begins a message and answers nothing. */
  readonly #watchKeys = (text: string | undefined): void => {
    clearTimeout(this.#keyTimer);
    const question = this.#question;
    const key = text?.toLowerCase() ?? '';
    if (!question || !this.#screen.isShown || this.#pasted.length > 0 || !Object.hasOwn(question.keys, key)) return;
    const answer = question.keys[key];
    this.#keyTimer = setTimeout(() => {
      if (this.#lines.line !== text || this.#question !== question) return;
      this.#lines.write(null, { ctrl: true, name: 'u' });
      this.ask(undefined);
      answer?.();
    }, this.#settings.aloneMs ?? ALONE_MS);
  };

  #take(line: string): void {
    const goesOn = !this.#isPasting && line.endsWith('\\');
    this.#pasted.push(goesOn ? line.slice(0, -1) : line);
    // A message is sent by Enter, and not by a line break in a paste.
    if (this.#isPasting) return;
    if (goesOn) {
      this.#lines.setPrompt(MORE);
      if (this.#screen.isShown) this.#redraw();
      return;
    }
    this.#lines.setPrompt(PROMPT);
    const text = this.#pasted.join('\n');
    this.#pasted = [];
    if (this.#taken) this.#hand(text);
    else this.#takeEarly(text);
  }

  #takeEarly(text: string): void {
    if (!this.#settings.sendAtOnce(text)) this.#typedAhead.push(text);
  }

  #interrupt(): void {
    if (this.#taken && (this.#lines.line !== '' || this.#pasted.length > 0)) {
      this.#pasted = [];
      this.#lines.setPrompt(PROMPT);
      this.#lines.write(null, { ctrl: true, name: 'e' });
      this.#lines.write(null, { ctrl: true, name: 'u' });
      return;
    }
    this.#settings.interrupt();
  }

  #end(): void {
    this.#isClosed = true;
    clearTimeout(this.#keyTimer);
    this.#settings.input.off('keypress', this.#watchPastes);
    this.#settings.input.off('keypress', this.#watchKeys);
    this.#settings.output.write(UNMARK_PASTES);
    this.#typedAhead.length = 0;
    this.#hand(undefined);
  }

  #hand(text: string | undefined): void {
    const taken = this.#taken;
    this.#taken = undefined;
    this.#screen.isShown = false;
    taken?.(text);
  }
}

/** The screen of the line editor: the terminal, or nothing while the editor must not draw. */
class EditorScreen extends Writable {
  readonly isTTY = true;
  isShown = false;
  readonly #output: WriteStream;

  constructor(output: WriteStream) {
    super({ decodeStrings: false });
    this.#output = output;
    output.on('resize', () => this.emit('resize'));
  }

  get columns(): number {
    return this.#output.columns;
  }

  get rows(): number {
    return this.#output.rows;
  }

  override _write(chunk: unknown, _encoding: BufferEncoding, done: () => void): void {
    if (this.isShown) this.#output.write(chunk as string);
    done();
  }
}
