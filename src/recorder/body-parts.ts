// The parts of a request with their keys, for requests that are mostly the same as one before: a conversation grows at its
// end, and tools and files stay as they are. A list that was seen before is found again by comparing its text, which takes
// a fraction of the time of reading it character by character and hashing it.
//
// Promise: the parts are those of `splitBody`, with the keys that their texts give. What is remembered is only ever used
// after its text was compared, and it is bounded.

import { hash as hashOnce } from 'node:crypto';
import { cutsOfList, isCut, type List, type ListStart, piecesAt, topLevelLists } from './split-body.ts';

export interface PartKey {
  /** The SHA-256 and the number of the text's bytes, so that the size can be computed from a list of keys alone. */
  readonly hash: string;
  readonly size: number;
}

export interface BodyPart extends PartKey {
  readonly text: string;
}

export function partKeyOf(text: string): PartKey {
  const size = Buffer.byteLength(text);
  return { hash: `${hashOnce('sha256', text, 'hex')}.${size}`, size };
}

/** A list that was cut before. */
interface KnownList {
  /** From its opening bracket to its end, without the closing one. */
  readonly text: string;
  /** The commas at which it was cut, counted from its beginning. */
  readonly commas: readonly number[];
  readonly keys: readonly PartKey[];
}

const MOST_LISTS = 96;
const MOST_CHARS = 4 * 1024 * 1024;

export class BodyParts {
  /** The one that was used last is at the end. */
  #lists: KnownList[] = [];
  #chars = 0;

  /**
   * `listsEnd` is the place behind which no value of the outermost object is a list, where the caller knows it; `cuts` are
   * places behind it at which the text is cut as well.
   */
  of(
    body: string,
    { listsEnd, cuts: more = [] }: { listsEnd?: number | undefined; cuts?: readonly number[] | undefined } = {},
  ): readonly BodyPart[] {
    const found = new Map<number, KnownList>();
    const knownAt = (open: number) => {
      const known = this.#take(body, open);
      if (known) found.set(open, known);
      return known && startOf(known, open);
    };
    const lists = topLevelLists(body, knownAt, listsEnd).filter(isCut);
    const keys = new Map<number, PartKey>();
    const inside: { readonly list: List; readonly commas: readonly number[] }[] = [];
    for (const list of lists) {
      const cuts = cutsOfList(list);
      inside.push({ list, commas: cuts.slice(1, -1) });
      const known = found.get(list.open);
      // The last part of a list that has grown is longer now.
      const isWhole = known?.text.length === list.close - list.open;
      const sure = known ? known.keys.slice(0, isWhole ? undefined : -1) : [];
      for (const [index, key] of sure.entries()) keys.set(cuts[index] ?? -1, key);
    }
    const parts: BodyPart[] = [];
    const starts = new Map<number, PartKey>();
    let start = 0;
    for (const text of piecesAt(body, [...lists.flatMap(cutsOfList), ...more])) {
      const key = keys.get(start) ?? partKeyOf(text);
      starts.set(start, key);
      parts.push({ text, ...key });
      start += text.length;
    }
    for (const { list, commas } of inside) {
      const known = found.get(list.open);
      // The very same list stays as it is, so that what is kept does not change with every request.
      if (known?.text.length === list.close - list.open) this.#keep(known);
      else this.#remember(body, list, commas, starts);
    }
    return parts;
  }

  /** The known list that begins here, or whose elements are the first ones of the list that begins here. */
  #take(body: string, open: number): KnownList | undefined {
    for (let index = this.#lists.length - 1; index >= 0; index--) {
      const known = this.#lists[index];
      if (!known || !isAt(known.text, body, open)) continue;
      this.#lists.splice(index, 1);
      this.#chars -= known.text.length;
      return known;
    }
    return undefined;
  }

  #remember(body: string, { open, close }: List, cuts: readonly number[], starts: ReadonlyMap<number, PartKey>): void {
    const length = close - open;
    if (length > MOST_CHARS / 4) return;
    const keys = [open + 1, ...cuts].flatMap((start) => starts.get(start) ?? []);
    if (keys.length !== cuts.length + 1) return;
    const text = ownText(body.slice(open, close), body);
    this.#keep({ text, commas: cuts.map((comma) => comma - open), keys });
  }

  #keep(list: KnownList): void {
    this.#lists.push(list);
    this.#chars += list.text.length;
    while (this.#lists.length > MOST_LISTS || this.#chars > MOST_CHARS) {
      this.#chars -= this.#lists.shift()?.text.length ?? 0;
    }
  }
}

/**
 * V8 keeps a whole text alive for a piece of it. A piece that is less than half of its text is copied, so that the rest
 * can be forgotten. A text that is not well formed becomes another one, and is not found again.
 */
function ownText(piece: string, whole: string): string {
  return piece.length * 2 < whole.length ? Buffer.from(piece).toString() : piece;
}

/** Where reading goes on: in front of what ended the list when it was seen before. */
function startOf({ text, commas }: KnownList, open: number): ListStart {
  return { commas: commas.map((comma) => comma + open), next: open + text.length };
}

/**
 * Most lists differ near the end of the known one, so that is compared first. Whole texts are compared with `===`, which
 * takes a tenth of the time of `startsWith`.
 */
function isAt(text: string, body: string, open: number): boolean {
  const last = text.length - 1;
  if (open + last >= body.length) return false;
  for (let back = 0; back < 4; back++) {
    const at = last - back * TAIL_STEP;
    if (at > 0 && body.charCodeAt(open + at) !== text.charCodeAt(at)) return false;
  }
  return body.slice(open, open + text.length) === text;
}

const TAIL_STEP = 37;
