// Makes text of a page's bytes: it finds the kind of content and the character set. Headers and pages often name none or a
// wrong one, so an unknown character set counts as UTF-8 and broken bytes become replacement characters.

import { words } from '../../protocol/words.ts';

/** `binary` is whatever a model cannot read as text. */
export type PageKind = 'html' | 'text' | 'binary';

/** The type alone, in lower case; empty when the header is missing or is none. */
export function mediaTypeOf(contentType: string): string {
  const [type = ''] = contentType.split(';');
  const trimmed = type.trim().toLowerCase();
  return /^[a-z0-9][\w.+-]{0,60}\/[a-z0-9][\w.+-]{0,80}$/.test(trimmed) ? trimmed : '';
}

/** A page without a type may be text, which its bytes will show. */
export function kindOf(mediaType: string): PageKind {
  if (mediaType === 'text/html' || mediaType === 'application/xhtml+xml') return 'html';
  if (mediaType === '' || mediaType.startsWith('text/') || /[/+](json|xml|yaml)$/.test(mediaType)) return 'text';
  return TEXT_TYPES.has(mediaType) ? 'text' : 'binary';
}

const TEXT_TYPES: ReadonlySet<string> = new Set(
  words(`
    javascript ecmascript x-javascript x-ndjson jsonl json-seq x-yaml toml sql graphql x-sh xml-dtd
    x-www-form-urlencoded
  `).map((name) => `application/${name}`),
);

/** Undefined when the bytes are no text after all. */
export function decodePage(body: Buffer, contentType: string): string | undefined {
  const label = markedCharset(body) ?? charsetParameter(contentType) ?? charsetInside(body) ?? 'utf-8';
  const text = decoderFor(label).decode(body);
  return text.includes('\0') ? undefined : text;
}

/** True for HTML that came without its type. */
export function looksLikeHtml(text: string): boolean {
  return /^\s*(?:<!--.{0,500}?-->\s*)?<(?:!doctype\s+html|html)\b/is.test(text.slice(0, 1_024));
}

function markedCharset(body: Buffer): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  return undefined;
}

function charsetParameter(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(contentType.slice(0, 500))?.[1];
}

/** The character set that a page names in a `meta` element or an XML declaration near its beginning. */
function charsetInside(body: Buffer): string | undefined {
  const beginning = body.subarray(0, 1_024).toString('latin1');
  const said =
    /<meta\s[^>]{0,300}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(beginning) ??
    /^\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})/i.exec(beginning);
  // The text was read as single bytes up to here, so it is not UTF-16.
  return said?.[1] === undefined || /^utf-?16/i.test(said[1]) ? undefined : said[1];
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder('utf-8');
  }
}
