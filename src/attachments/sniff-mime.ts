// Says what bytes are, by looking at them. The name and the type that a sender claims are not believed: a page that
// calls itself an image must not be served or sent as one.

/** A type that no reader gives a meaning to. */
const UNKNOWN = 'application/octet-stream';

/** How many bytes are looked at to decide whether a file is text. The end of a long text may be anything. */
const LOOKED_AT = 64 * 1024;

export function sniffMime(bytes: Uint8Array): string {
  const found = SIGNATURES.find(({ at = 0, starts }) => matches(bytes, at, starts));
  if (found) return found.also && !matches(bytes, found.also.at, found.also.starts) ? UNKNOWN : found.mime;
  return isText(bytes.subarray(0, LOOKED_AT), bytes.length > LOOKED_AT) ? 'text/plain' : UNKNOWN;
}

interface Signature {
  readonly mime: string;
  readonly at?: number;
  readonly starts: string;
  readonly also?: { readonly at: number; readonly starts: string };
}

const SIGNATURES: readonly Signature[] = [
  { mime: 'image/png', starts: '\x89PNG\r\n\x1a\n' },
  { mime: 'image/jpeg', starts: '\xff\xd8\xff' },
  { mime: 'image/gif', starts: 'GIF87a' },
  { mime: 'image/gif', starts: 'GIF89a' },
  { mime: 'image/webp', starts: 'RIFF', also: { at: 8, starts: 'WEBP' } },
  { mime: 'image/bmp', starts: 'BM' },
  { mime: 'image/avif', at: 4, starts: 'ftypavif' },
  { mime: 'image/heic', at: 4, starts: 'ftypheic' },
  { mime: 'application/pdf', starts: '%PDF-' },
  { mime: 'application/zip', starts: 'PK\x03\x04' },
  { mime: 'application/gzip', starts: '\x1f\x8b\x08' },
  { mime: 'audio/ogg', starts: 'OggS' },
  { mime: 'audio/mpeg', starts: 'ID3' },
  { mime: 'video/mp4', at: 4, starts: 'ftyp' },
];

function matches(bytes: Uint8Array, at: number, starts: string): boolean {
  if (bytes.length < at + starts.length) return false;
  for (let index = 0; index < starts.length; index++) {
    if (bytes[at + index] !== starts.charCodeAt(index)) return false;
  }
  return true;
}

/** UTF-8 without the control characters that no text has. A character that was cut at the end counts as whole. */
function isText(bytes: Uint8Array, isCut: boolean): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
    return !/[\x00-\x08\x0e-\x1a\x1c-\x1f]/.test(text);
  } catch {
    return false;
  }
}
