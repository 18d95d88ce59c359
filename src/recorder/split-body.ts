// Cuts the text of a request at places where a later request of the same conversation is likely to be equal: around the
// elements of its large top-level lists (system, messages, tools). It reads the text itself and builds no value, so the
// pieces joined are exactly the text, whether it is JSON or not.

/**
 * Elements are joined until a piece has this many characters, because smaller pieces would cost more to name than to
 * keep.
 */
const PIECE_LENGTH = 4096;
/** Shorter lists are not cut. */
const LARGE_LIST_LENGTH = 1024;

export function splitBody(body: string): readonly string[] {
  return piecesAt(body, topLevelLists(body).filter(isCut).flatMap(cutsOfList));
}

/** The text between these places, which are in order. */
export function piecesAt(body: string, cuts: readonly number[]): readonly string[] {
  const pieces: string[] = [];
  let start = 0;
  for (const cut of cuts) {
    if (cut > start) pieces.push(body.slice(start, cut));
    start = cut;
  }
  if (start < body.length || pieces.length === 0) pieces.push(body.slice(start));
  return pieces;
}

export function isCut({ open, close }: List): boolean {
  return close - open >= LARGE_LIST_LENGTH;
}

/**
 * Returns the places to cut, in order. A comma belongs to the element after it, so that an element stays the same when
 * more follow.
 */
export function cutsOfList({ open, commas, close }: List): readonly number[] {
  let start = open + 1;
  const cuts = [start];
  for (const comma of commas) {
    if (comma - start < PIECE_LENGTH) continue;
    cuts.push(comma);
    start = comma;
  }
  cuts.push(close);
  return cuts;
}

export interface List {
  readonly open: number;
  readonly commas: readonly number[];
  readonly close: number;
}

/** What is known of a list before it is read: where it is cut in its beginning, and where that beginning ends. */
export interface ListStart {
  readonly commas: readonly number[];
  readonly next: number;
}

/**
 * Returns the lists that are values of the outermost object. Text that is not well formed only gives fewer lists.
 * `knownAt` may know the beginning of a list; then the rest of it is read. Behind `end` there is none.
 */
export function topLevelLists(
  body: string,
  knownAt?: (open: number) => ListStart | undefined,
  end: number = body.length,
): readonly List[] {
  const lists: List[] = [];
  let depth = 0;
  let open = -1;
  let commas: number[] = [];
  for (let at = 0; at < end; at++) {
    switch (body.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(body, at);
        break;
      case OPEN_BRACE:
        depth++;
        break;
      case OPEN_BRACKET:
        depth++;
        if (depth === 2) {
          open = at;
          const known = knownAt?.(at);
          commas = known ? [...known.commas] : [];
          if (known) at = known.next - 1;
        }
        break;
      case COMMA:
        if (depth === 2 && open >= 0) commas.push(at);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (depth === 2 && open >= 0) {
          lists.push({ open, commas, close: at });
          open = -1;
        }
        depth--;
        break;
    }
  }
  return lists;
}

/** Returns the position of the quote that ends the string beginning at `start`, or the end of the text. */
function endOfString(body: string, start: number): number {
  let end = start;
  while (true) {
    end = body.indexOf('"', end + 1);
    if (end < 0) return body.length;
    let backslashes = 0;
    while (end - backslashes - 1 > start && body.charCodeAt(end - backslashes - 1) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
