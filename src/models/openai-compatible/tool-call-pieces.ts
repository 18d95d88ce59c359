// Puts the tool calls of a chat completions stream together from their pieces. By the protocol the first piece of a call
// has its id and name and every piece has its index. Servers leave out any of these, repeat them in every piece, or give
// all calls the same index, so a piece is joined to the call that it fits best.
//
// Calls are told in the order of their indexes when every call has one, else in the order in which they began.

import type { Answer } from '../answer.ts';
import { isLoose, isNumber, isText, type Loose, wrongField } from '../loose.ts';

interface PiecedCall {
  readonly id: string;
  /** Empty until a piece brings it. */
  name: string;
  input: string;
  readonly index: number | undefined;
  /** The ids that its pieces had. */
  readonly ids: Set<string>;
  /** How often it was checked whether its parameters are complete. */
  attempts: number;
}

interface Piece {
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly input: string;
}

export class ToolCallPieces {
  readonly #answer: Answer;
  readonly #calls: PiecedCall[] = [];

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  /** Returns what is wrong with a field of the piece; undefined when it can be read. */
  read(told: unknown, place: number, path: string): string | undefined {
    if (this.#answer.fault) return undefined;
    if (!isLoose(told)) return wrongField(path, 'object', told);
    const { function: call } = told;
    if (!isLoose(call)) return wrongField(`${path}.function`, 'object', call);
    const input = isLoose(call.arguments) ? JSON.stringify(call.arguments) : (call.arguments ?? '');
    if (!isText(input)) return wrongField(`${path}.function.arguments`, 'string', input);
    if (call.name != null && !isText(call.name)) return wrongField(`${path}.function.name`, 'string', call.name);
    this.#add({ index: indexOf(told, place), id: idOf(told), name: visible(call.name), input });
    return undefined;
  }

  /** Returns what is missing in the calls; undefined when nothing is. */
  end(): string | undefined {
    const isCut = this.#answer.reason === 'length';
    if (!isCut && this.#calls.some(({ name, input }) => name === '' && input !== '')) return 'a tool call has no name';
    const isOrdered = this.#calls.every(({ index }) => index !== undefined);
    const ordered = isOrdered ? this.#calls.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0)) : this.#calls;
    this.#answer.callTools(ordered.filter(({ name }) => name !== ''));
    return undefined;
  }

  #add(piece: Piece): void {
    const call = this.#callOf(piece) ?? this.#begin(piece);
    if (!call || !this.#answer.grow(piece.input.length)) return;
    if (piece.id !== undefined) call.ids.add(piece.id);
    if (call.name === '') call.name = piece.name ?? '';
    call.input += piece.input;
  }

  #begin({ index, id }: Piece): PiecedCall | undefined {
    if (!this.#answer.beginCall()) return undefined;
    const call = { id: this.#freeId(id), name: '', input: '', index, ids: new Set<string>(), attempts: 0 };
    this.#calls.push(call);
    return call;
  }

  /** The latest call that the piece may belong to; undefined when the piece begins a call. */
  #callOf(piece: Piece): PiecedCall | undefined {
    const { name, input } = piece;
    const beginsParams = name !== undefined && /^\s*[{[]/.test(input);
    const found = this.#candidates(piece, beginsParams).findLast(
      (call) => name === undefined || call.name === '' || call.name === name,
    );
    return found && beginsParams && isComplete(found) ? undefined : found;
  }

  #candidates({ index, id, name }: Piece, beginsParams: boolean): readonly PiecedCall[] {
    const withId = id === undefined ? [] : this.#calls.filter(({ ids }) => ids.has(id));
    const withIndex = index === undefined ? [] : this.#calls.filter((call) => call.index === index);
    if (id === undefined && index === undefined) return this.#calls.slice(-1);
    if (withId.length === 0) return id !== undefined && beginsParams ? [] : withIndex;
    if (index === undefined) return withId;
    const both = withIndex.filter((call) => withId.includes(call));
    return both.length > 0 || name !== undefined ? both : withId;
  }

  /** Two calls never have the same id. */
  #freeId(id: string | undefined): string {
    const taken = new Set(this.#calls.map((call) => call.id));
    if (id !== undefined && !taken.has(id)) return id;
    let number = this.#calls.length;
    while (taken.has(`call_${number}`)) number += 1;
    return `call_${number}`;
  }
}

function indexOf({ index, function: call }: Loose, place: number): number | undefined {
  if (isNumber(index)) return index;
  if (isText(index) && /^\d{1,9}$/.test(index)) return Number(index);
  // The calls of one chunk are different calls.
  return isLoose(call) && place > 0 ? place : undefined;
}

function idOf({ id }: Loose): string | undefined {
  return isNumber(id) ? String(id) : visible(id);
}

function visible(text: unknown): string | undefined {
  return isText(text) && text.trim() !== '' ? text : undefined;
}

/** Each attempt reads all of the parameters, so their number is limited. */
const MOST_ATTEMPTS = 64;

function isComplete(found: PiecedCall): boolean {
  if (found.attempts >= MOST_ATTEMPTS) return false;
  found.attempts += 1;
  try {
    return typeof JSON.parse(found.input) === 'object';
  } catch {
    return false;
  }
}
