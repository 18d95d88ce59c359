// What of an earlier request could be shared, in bytes: docs/cache.md says it in words. It is pure.

import type { RequestFrame } from '../../../agent/request-frame.ts';
import type { PromptText } from '../../../recorder/cache-prefix.ts';
import { boundaryChar } from './judge-break.ts';
import { isSystemPiece } from './prompt-author.ts';
import { bytesOfPieces } from './shared-prefix.ts';

type Pieces = readonly PromptText[];

/**
 * What the later request would share if nothing had changed: the whole earlier request in its own session; in another
 * session the tools, and the system prompt up to the cache boundary.
 */
export function reusableBytes(
  earlier: { readonly pieces: Pieces; readonly frame?: RequestFrame | undefined },
  isSameSession: boolean,
): number {
  const { pieces, frame } = earlier;
  if (isSameSession) return bytesOfPieces(pieces);
  const tools = bytesOfPieces(pieces.filter(({ path }) => path.startsWith('tools')));
  const system = pieces.find(isSystemPiece);
  if (!system || !frame) return tools;
  return tools + Buffer.byteLength(system.text.slice(0, boundaryChar(system.text, frame)));
}

/** A changed input ends what could be shared; a break without one does not. */
export function shareableBytes(
  reusable: number,
  shared: number,
  found: { readonly isInput: boolean } | undefined,
): number {
  return found?.isInput ? Math.min(shared, reusable) : reusable;
}
