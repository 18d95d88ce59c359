// Reads the bytes of an answer as events, and hands each event to the reader of the protocol, which writes the answer
// down. A server that was asked for a stream and answers with one whole JSON is read as well.
//
// An event that cannot be read is left out, with a note, only where it cannot have held a part of the answer: behind the
// reason of its end, or when the protocol does not have its kind. Everywhere else the answer fails, because a shorter
// answer must not look like a whole one.
//
// It never throws, and its work is bounded by the number of bytes that it is given. It knows lines and JSON; what an
// event means is the protocol's. It keeps the line that has not ended; how many bytes may come is up to the caller.

import { oneLine } from '../protocol/one-line.ts';
import type { Answer } from './answer.ts';
import { HeldBytes } from './held-bytes.ts';
import { isLoose, kindOf, type Loose } from './loose.ts';

/** How the events of one protocol are read. */
export interface EventProtocol {
  /** True for a value that is an event of this protocol. */
  isEvent(value: Loose): boolean;
  /** True for data that is no JSON and says that nothing comes behind it. */
  isLast(data: string): boolean;
  /** The events that say the same as this whole answer; undefined when the value is no answer. */
  eventsOf(answer: Loose): readonly Loose[] | undefined;
  /** Makes the reader of one answer. */
  reader(answer: Answer): EventReader;
}

export interface EventReader {
  /** Writes down what the event says. Returns what is wrong with a field of it; undefined when it can be read. */
  read(event: Loose): string | undefined;
  /** The answer is whole. Returns what is missing in it; undefined when nothing is. */
  end(): string | undefined;
}

export class AnswerReader {
  readonly answer: Answer;
  readonly #protocol: EventProtocol;
  readonly #events: EventReader;
  /** Which of the two the answer is. The first byte that is not blank decides, whatever the content type says. */
  #form: 'events' | 'whole' | undefined;
  /** The beginning of a line whose end has not come yet, or everything so far of a whole answer. */
  readonly #begun = new HeldBytes();
  /** How often a whole answer was tried, which reads all of it each time. */
  #attempts = 0;
  /** The name of the current event, and the lines of its data that are no JSON without the next one. */
  #name = '';
  #pending: string[] = [];
  #pendingLength = 0;
  #foreign: string | undefined;

  constructor(answer: Answer, protocol: EventProtocol) {
    this.answer = answer;
    this.#protocol = protocol;
    this.#events = protocol.reader(answer);
  }

  /** Nothing that comes later can change the answer. */
  get isDone(): boolean {
    return this.answer.isOver || this.answer.fault !== undefined || this.#foreign !== undefined;
  }

  /** The beginning of a body that is neither a stream of events nor an answer. */
  get foreign(): string | undefined {
    return this.#foreign;
  }

  take(bytes: Buffer): void {
    const visible = this.#form === undefined ? withoutBlanks(bytes) : bytes;
    if (visible.length === 0) return;
    this.#form ??= NO_EVENT.has(visible[0] ?? 0) ? 'whole' : 'events';
    if (this.#form === 'whole') this.#takeWhole(visible);
    else this.#takeLines(visible);
  }

  /** No more bytes come. An answer that said why it is over is whole, although its last event is missing. */
  end(): void {
    const text = this.isDone ? '' : this.#begun.text();
    this.#begun.clear();
    if (this.isDone) return;
    if (this.#form === 'whole') this.#readWhole(text);
    else this.#readLastLines(text);
  }

  #takeWhole(bytes: Buffer): void {
    this.#begun.add(bytes);
    // Some servers keep the connection open behind their answer.
    const last = bytes.findLast((byte) => !BLANK.has(byte));
    if (last !== CLOSING_BRACE || this.#begun.length > MOST_TRIED_BYTES || this.#attempts >= MOST_ATTEMPTS) return;
    this.#attempts += 1;
    const text = this.#begun.text();
    if (parse(text) !== undefined) this.#readWhole(text);
  }

  #readWhole(text: string): void {
    const whole = parse(text);
    const events = isLoose(whole) ? this.#protocol.eventsOf(whole) : undefined;
    if (events === undefined) {
      this.#foreign = text;
      return;
    }
    for (const event of events) this.#readEvent(event);
    this.#finish();
  }

  #takeLines(bytes: Buffer): void {
    // A carriage return at the very end may be the first half of a line's end.
    const end = Math.max(bytes.lastIndexOf(NEWLINE), bytes.lastIndexOf(CARRIAGE_RETURN, -2)) + 1;
    if (end > 0) {
      const lines = this.#textWith(bytes.subarray(0, end)).split(LINE_END);
      // What is behind the last line's end has not come yet.
      lines.pop();
      for (const line of lines) this.#readLine(line);
    }
    if (end < bytes.length) this.#begun.add(bytes.subarray(end));
  }

  /** The text of the bytes that were held and of these. Nothing is held afterwards. */
  #textWith(bytes: Buffer): string {
    if (this.#begun.length === 0) return bytes.toString('utf8');
    this.#begun.add(bytes);
    const text = this.#begun.text();
    this.#begun.clear();
    return text;
  }

  #readLastLines(text: string): void {
    for (const line of text.split(LINE_END)) this.#readLine(line);
    this.#readLine('');
    if (this.answer.hasReason && !this.isDone) this.#finish();
  }

  #readLine(line: string): void {
    if (this.isDone) return;
    if (line.startsWith('data:')) this.#readData(line.slice(line[5] === ' ' ? 6 : 5));
    else if (line.startsWith('event:')) this.#name = line.slice(6).trim();
    else if (line === '') {
      this.#giveUpPending();
      this.#name = '';
    }
  }

  /** Many servers forget the empty line between two events, so each line that is an event counts at once. */
  #readData(data: string): void {
    if (this.#protocol.isLast(data)) {
      this.#giveUpPending();
      this.#finish();
    } else if (this.#pending.length === 0) {
      const event = parse(data);
      if (event === undefined) this.#keepPending(data);
      else this.#readEvent(event);
    } else if (/[}\]]\s*$/.test(data)) {
      this.#readRest(data);
    } else {
      this.#keepPending(data);
    }
  }

  /** The data may complete the lines before it, or be an event of its own behind one that was never completed. */
  #readRest(data: string): void {
    const joined = parse([...this.#pending, data].join('\n'));
    const alone = joined === undefined ? parse(data) : undefined;
    if (joined !== undefined) {
      this.#takePending();
      this.#readEvent(joined);
    } else if (isLoose(alone) && this.#protocol.isEvent(alone)) {
      this.#giveUpPending();
      this.#readEvent(alone);
    } else {
      this.#keepPending(data);
    }
  }

  #keepPending(data: string): void {
    this.#pending.push(data);
    this.#pendingLength += data.length;
    if (this.#pendingLength > MOST_TRIED_BYTES || this.#pending.length > MOST_ATTEMPTS) this.#giveUpPending();
  }

  #takePending(): string {
    this.#pendingLength = 0;
    return this.#pending.splice(0).join('\n');
  }

  #giveUpPending(): void {
    if (this.#pending.length === 0) return;
    const text = this.#takePending();
    if (SIGN_OF_LIFE.test(text) || SIGN_OF_LIFE.test(this.#name)) return;
    const shown = quote(text);
    this.#refuse(text, shown === '' ? 'it is no JSON' : `it is no JSON (${shown})`, this.answer.hasReason);
  }

  #readEvent(event: unknown): void {
    const { answer } = this;
    if (answer.fault || saysNothing(event)) return;
    const isBehindReason = answer.hasReason;
    if (isLoose(event) && !this.#protocol.isEvent(event)) {
      answer.note(`An event of a kind that the protocol does not have was left out: ${quote(JSON.stringify(event))}`);
      return;
    }
    const wrong = isLoose(event) ? this.#events.read(event) : `expected object, received ${kindOf(event)}`;
    if (wrong !== undefined) this.#refuse(JSON.stringify(event), wrong, isBehindReason);
  }

  /** An event that cannot be read is a fault of the answer, unless it comes behind the reason of its end. */
  #refuse(text: string, why: string, isBehindReason: boolean): void {
    if (isBehindReason)
      this.answer.note(`An event behind the end of the answer cannot be read and was left out: ${quote(text)}`);
    else this.answer.fail({ what: `${UNREADABLE}: ${why}` });
  }

  #finish(): void {
    if (this.answer.fault) return;
    const missing = this.#events.end();
    if (missing !== undefined) this.answer.fail({ what: `${UNREADABLE}: ${missing}` });
    if (this.answer.fault === undefined) this.answer.end();
  }
}

const UNREADABLE = 'sent something that cannot be read';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const CLOSING_BRACE = 0x7d;
/** Blanks, and the bytes of a byte-order mark. */
const BLANK: ReadonlySet<number> = new Set([0x20, 0x09, NEWLINE, CARRIAGE_RETURN, 0xef, 0xbb, 0xbf]);
/** No line of a stream of events begins with one of these. They begin JSON and web pages. */
const NO_EVENT: ReadonlySet<number> = new Set([...'{["<'].map((sign) => sign.charCodeAt(0)));
const LINE_END = /\r\n|\n|\r/;

/** What is longer is parsed once, when it has ended, because every attempt reads all of it. */
const MOST_TRIED_BYTES = 1024 * 1024;
/** The number of attempts is limited too, because a server decides how small its pieces are. */
const MOST_ATTEMPTS = 1_000;
const LONGEST_QUOTE = 80;

/** Sent to keep the connection open. */
const SIGN_OF_LIFE = /^\W*(?:ping|pong|keep[-_ ]?alive|heartbeat)\W*$/i;

function saysNothing(event: unknown): boolean {
  if (typeof event === 'string') return event.trim() === '' || SIGN_OF_LIFE.test(event);
  return typeof event === 'object' ? Object.keys(event ?? {}).length === 0 : typeof event === 'boolean';
}

function withoutBlanks(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => !BLANK.has(byte));
  return start === -1 ? bytes.subarray(0, 0) : bytes.subarray(start);
}

/** Undefined is no JSON, so it can say that there is none. */
function parse(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function quote(text: string): string {
  return oneLine(text, LONGEST_QUOTE);
}
