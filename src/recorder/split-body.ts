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
  const pieces: string[] = [];
  let start = 0;
  for (const cut of cutsOf(body)) {
    if (cut > start) pieces.push(body.slice(start, cut));
    start = cut;
  }
  if (start < body.length || pieces.length === 0) pieces.push(body.slice(start));
  return pieces;
}

/**
 * Returns the places to cut, in order. A comma belongs to the element after it, so that an element stays the same when
 * more follow.
 */
function cutsOf(body: string): readonly number[] {
  const cuts: number[] = [];
  for (const { open, commas, close } of topLevelLists(body)) {
    if (close - open < LARGE_LIST_LENGTH) continue;
    let start = open + 1;
    cuts.push(start);
    for (const comma of commas) {
      if (comma - start < PIECE_LENGTH) continue;
      cuts.push(comma);
      start = comma;
    }
    cuts.push(close);
  }
  return cuts;
}

interface List {
  readonly open: number;
  readonly commas: readonly number[];
  readonly close: number;
}

/** Returns the lists that are values of the outermost object. Text that is not well formed only gives fewer lists. */
function topLevelLists(body: string): readonly List[] {
  const lists: List[] = [];
  let depth = 0;
  let open = -1;
  let commas: number[] = [];
  for (let at = 0; at < body.length; at++) {
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
          commas = [];
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
