// One answer of a model while it is read: what it says, the tool calls that it makes, what it used and why it is over.
// The readers of the protocols write it down; the model tells from it. It keeps an answer within its limits. The
// first fault ends it, and what is written down after that does not count.
//
// This file knows neither bytes nor protocols.

import { oneLine } from '../protocol/one-line.ts';
import { NO_USAGE, type Usage } from '../protocol/usage.ts';
import { MOST_TOOL_CALLS, type ModelEvent } from './model.ts';

/** A tool call as the model wrote it. Without parameters its input is empty. */
export interface WrittenCall {
  readonly id: string;
  readonly name: string;
  readonly input: string;
}

/** Why an answer cannot be used: what is wrong with it, or the error that the provider reports inside it. */
export type AnswerFault = { readonly what: string } | { readonly reported: unknown };

/** The reasons that matter. Every other one only says that the answer is complete. */
export type EndReason = 'complete' | 'length' | 'refusal';

export type SaidPiece = Extract<ModelEvent, { type: 'text-delta' | 'reasoning-delta' }>;

/** An answer becomes history and is sent with every later request, so a longer answer is a fault. */
const MOST_CHARACTERS = 16 * 1024 * 1024;
const MOST_NOTES = 5;
const LONGEST_QUOTE = 80;

export class Answer {
  #said: SaidPiece[] = [];
  #begunCalls = 0;
  #calls: readonly WrittenCall[] = [];
  #characters = 0;
  #usage: Usage = NO_USAGE;
  #reason: EndReason | undefined;
  #isOver = false;
  #fault: AnswerFault | undefined;
  readonly #withheld = new Set<string>();
  readonly #notes: string[] = [];
  #leftOut = 0;

  /** The answer says why it is over; only its end is missing. */
  get hasReason(): boolean {
    return this.#reason !== undefined;
  }

  /** The answer is whole. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get fault(): AnswerFault | undefined {
    return this.#fault;
  }

  get reason(): EndReason {
    return this.#reason ?? 'complete';
  }

  get usage(): Usage {
    return this.#usage;
  }

  /** What was left out of the answer, one sentence each. */
  get notes(): readonly string[] {
    const more = this.#leftOut - this.#notes.length;
    return more > 0 ? [...this.#notes, `${more} more of this kind.`] : this.#notes;
  }

  /** Why the provider withholds the answer, in its own words. */
  get withheld(): string | undefined {
    return this.#withheld.size === 0 ? undefined : [...this.#withheld].join(', ');
  }

  /**
   * The calls of the whole answer; there are none before it is whole. At the limit of an answer the model was cut off, so
   * a call without complete parameters is left out.
   */
  get toolCalls(): readonly Extract<ModelEvent, { type: 'tool-call' }>[] {
    if (!this.#isOver) return [];
    const whole = this.#reason === 'length' ? this.#calls.filter(({ input }) => isJson(input)) : this.#calls;
    return whole.map(({ id, name, input }) => ({ type: 'tool-call', id, name, input: input || '{}' }));
  }

  /** Returns what was said since the last time. */
  takeSaid(): readonly SaidPiece[] {
    const said = this.#said;
    if (said.length > 0) this.#said = [];
    return said;
  }

  say(type: SaidPiece['type'], text: string): void {
    if (text !== '' && this.grow(text.length)) this.#said.push({ type, text });
  }

  /** A tool call begins. Its reader keeps it until the answer is whole. Returns false when it is one too many. */
  beginCall(): boolean {
    this.#begunCalls += 1;
    if (this.#begunCalls > MOST_TOOL_CALLS)
      this.fail({ what: `asked for more than ${MOST_TOOL_CALLS} tool calls in one answer` });
    return this.#fault === undefined;
  }

  /** So many characters are said, or written into a call. Returns false when they are no longer part of the answer. */
  grow(characters: number): boolean {
    this.#characters += characters;
    if (this.#characters > MOST_CHARACTERS)
      this.fail({ what: `said more than ${MOST_CHARACTERS / 1024 / 1024} MiB in one answer` });
    return this.#fault === undefined;
  }

  /** The calls of the whole answer, in their order. */
  callTools(calls: readonly WrittenCall[]): void {
    this.#calls = calls;
  }

  use(usage: Usage): void {
    this.#usage = usage;
  }

  /** A later reason replaces an earlier one. */
  giveReason(reason: EndReason, withheld: readonly string[]): void {
    this.#reason = reason;
    for (const words of withheld) this.#withheld.add(oneLine(words, LONGEST_QUOTE));
  }

  /** Nothing comes behind this. */
  end(): void {
    this.#reason ??= 'complete';
    this.#isOver = true;
  }

  /** The first fault is the cause. */
  fail(fault: AnswerFault): void {
    this.#fault ??= fault;
  }

  note(text: string): void {
    this.#leftOut += 1;
    if (this.#notes.length < MOST_NOTES && !this.#notes.includes(text)) this.#notes.push(text);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
