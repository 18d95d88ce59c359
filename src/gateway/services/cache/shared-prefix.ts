// How much of a request is the same as in an earlier one, in bytes from the beginning. A request is read as providers
// read it: tools, system, messages, each piece as its JSON without the marks of the cache. It is pure.

import { commonPrefix } from '../../../protocol/common-ends.ts';
import type { PromptText } from '../../../recorder/cache-prefix.ts';

export interface SharedPrefix {
  /** The bytes of the pieces that are the same, up to the first byte that is not. */
  readonly bytes: number;
  /** Where the two requests part; undefined when the earlier one is a beginning of the later one. */
  readonly parting?: Parting | undefined;
}

export interface Parting {
  /** `tools[3]`, `system[0]`, `messages[4].content[1]`. */
  readonly path: string;
  /** How many pieces before this one are the same. */
  readonly piece: number;
  /** How many characters at the beginning of the piece are the same. */
  readonly char: number;
  /** `before` means that this piece is gone, `now` that it was put in, `both` that its words changed. */
  readonly foundIn: 'both' | 'before' | 'now';
}

type Pieces = readonly Pick<PromptText, 'path' | 'text'>[];

export function sharedPrefix(before: Pieces, now: Pieces): SharedPrefix {
  let bytes = 0;
  for (const [piece, old] of before.entries()) {
    const fresh = now[piece];
    if (fresh?.path === old.path) {
      if (fresh.text === old.text) {
        bytes += Buffer.byteLength(old.text);
        continue;
      }
      const common = commonBeginning(old.text, fresh.text);
      return { bytes: bytes + common.bytes, parting: { path: old.path, piece, char: common.char, foundIn: 'both' } };
    }
    const isPutIn = fresh !== undefined && comparePaths(fresh.path, old.path) < 0;
    const { path } = isPutIn ? fresh : old;
    return { bytes, parting: { path, piece, char: 0, foundIn: isPutIn ? 'now' : 'before' } };
  }
  return { bytes };
}

export function bytesOfPieces(pieces: Pieces): number {
  return pieces.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

/** How much the beginnings share, in bytes and in whole characters: two characters may begin with the same bytes. */
function commonBeginning(a: string, b: string): { readonly bytes: number; readonly char: number } {
  const char = commonPrefix(a, b);
  const [left, right] = [a, b].map((text) => Buffer.from(text.slice(char, char + 2))) as [Buffer, Buffer];
  let bytes = 0;
  while (bytes < left.length && bytes < right.length && left[bytes] === right[bytes]) bytes += 1;
  return { bytes: Buffer.byteLength(a.slice(0, char)) + bytes, char };
}

const SECTIONS = ['tools', 'system', 'messages'];

/** In the order in which providers read them. */
function comparePaths(a: string, b: string): number {
  const [left, right] = [placeOf(a), placeOf(b)];
  for (const [index, number] of left.entries()) {
    const difference = number - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The facts of a message that are not its content stand behind all of its content. */
function placeOf(path: string): readonly [number, number, number] {
  const [, section = '', index = '0', block] = /^(\w+)(?:\[(\d+)\])?(?:\.content\[(\d+)\])?$/.exec(path) ?? [];
  return [SECTIONS.indexOf(section), Number(index), block === undefined ? Number.MAX_SAFE_INTEGER : Number(block)];
}
