// The name under which every page shows a conversation, so that all devices share one mailbox: what is sent there is seen
// on each of them. A conversation that began on a page keeps the name that is in its key.

import { parseSessionKey } from './session-key.ts';

export function pageSurface(sessionKey: string): string {
  const { surface, channel, peerId = '', threadId } = parseSessionKey(sessionKey);
  const isOfPage = surface === 'direct' && channel === 'web' && threadId === undefined;
  return isOfPage && SURFACE_NAME.test(peerId) ? peerId : `session.${wideHash(sessionKey)}`;
}

/** Whether pages show a conversation under this name that began elsewhere; its key cannot be read from the name. */
export function isNameOfOther(surface: string): boolean {
  return /^session\.[\da-f]{32}$/.test(surface);
}

/** What a client may call a surface. */
export const SURFACE_NAME = /^[\w.-]{1,64}$/;

/** 32 hexadecimal digits: two conversations must never share a mailbox by chance. The hash is not for security. */
function wideHash(text: string): string {
  let digits = '';
  for (const salt of '0123') {
    let value = 0x811c9dc5;
    for (const char of salt + text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
    // The last letters change only the low bits, so the bits are mixed once more.
    value = Math.imul(value ^ (value >>> 16), 0x45d9f3b) >>> 0;
    digits += ((value ^ (value >>> 16)) >>> 0).toString(16).padStart(8, '0');
  }
  return digits;
}
