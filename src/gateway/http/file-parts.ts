// The files in the parts of a chat completion: `image_url` with a data: URL or an address, and `file` with its content.
// What is not understood is refused with a sentence that names the part. Nothing is loaded here.

import { RequestInvalidError } from '../errors.ts';

/** A file as a client hands it over. */
export type FilePart = { readonly at: string; readonly isImage: boolean } & (
  | { readonly name: string; readonly bytes: Buffer }
  | { readonly url: string }
);

export interface ContentPart {
  readonly type: string;
  readonly text?: string | undefined;
  readonly image_url?: unknown;
  readonly file?: unknown;
}

/** Undefined for a part of text. `at` names the part in errors. */
export function readFilePart(part: ContentPart, at: string): FilePart | undefined {
  switch (part.type) {
    case 'text':
      return undefined;
    case 'image_url':
      return readImage(part.image_url, `${at}.image_url`);
    case 'file':
      return readFile(part.file, `${at}.file`);
    default:
      return refuse(
        at,
        `is of type ${JSON.stringify(part.type.slice(0, 40))}. Text, "image_url" and "file" are understood here.`,
      );
  }
}

function readImage(image: unknown, at: string): FilePart {
  const url = typeof image === 'string' ? image : fieldOf(image, 'url');
  if (typeof url !== 'string') return refuse(at, 'needs a "url".');
  if (/^data:/i.test(url)) return { name: 'image', bytes: bytesOfDataUrl(url, at), at, isImage: true };
  if (/^https?:/i.test(url)) return { url, at, isImage: true };
  return refuse(at, 'must be a data: URL or an http(s) address.');
}

function readFile(file: unknown, at: string): FilePart {
  const data = fieldOf(file, 'file_data');
  if (typeof data !== 'string') {
    if (fieldOf(file, 'file_id') !== undefined)
      return refuse(at, 'names a "file_id", but no files are kept for clients. Send the content as "file_data".');
    return refuse(at, 'needs the content as "file_data", in base64 or as a data: URL.');
  }
  const name = fieldOf(file, 'filename');
  const bytes = /^data:/i.test(data) ? bytesOfDataUrl(data, at) : bytesOfBase64(data, at);
  return { name: typeof name === 'string' ? name : 'file', bytes, at, isImage: false };
}

function bytesOfDataUrl(url: string, at: string): Buffer {
  const comma = url.indexOf(',');
  const isBase64 = /;base64$/i.test(url.slice(0, comma === -1 ? 0 : comma));
  if (!isBase64) return refuse(at, 'must be a data: URL in base64, such as data:image/png;base64,….');
  return bytesOfBase64(url.slice(comma + 1), at);
}

function bytesOfBase64(text: string, at: string): Buffer {
  const plain = text.replace(/\s+/g, '');
  if (plain === '' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(plain)) return refuse(at, 'is not valid base64.');
  return Buffer.from(plain, 'base64');
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function refuse(param: string, problem: string): never {
  throw new RequestInvalidError({ problem: `${param} ${problem}`, param });
}
