// Reads the body of a request as JSON. A body that is too long is refused before it is held in memory.
// Errors: BodyTooLargeError and RequestInvalidError; and the error of the connection when it breaks.

import { errorText } from '../../protocol/one-line.ts';
import { BodyTooLargeError, RequestInvalidError } from '../errors.ts';

export interface JsonSource {
  /** The header `content-length`, if there is one. */
  readonly contentLength: string | null | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Gives `{}` for an empty body. */
export async function readJson(source: JsonSource, limitBytes: number): Promise<unknown> {
  const text = await readText(source, limitBytes);
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RequestInvalidError({ problem: `The body is not JSON: ${brief(error)}.` });
  }
}

async function readText({ contentLength, chunks }: JsonSource, limitBytes: number): Promise<string> {
  if (Number(contentLength ?? 0) > limitBytes) throw new BodyTooLargeError({ limitBytes });
  const read: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > limitBytes) throw new BodyTooLargeError({ limitBytes });
    read.push(chunk);
  }
  try {
    return DECODER.decode(read.length === 1 ? read[0] : Buffer.concat(read));
  } catch {
    throw new RequestInvalidError({ problem: 'The body is not UTF-8 text.' });
  }
}

const DECODER = new TextDecoder('utf-8', { fatal: true });

/** The parser's message quotes the body, which may be long and contain anything, so it is shortened. */
function brief(error: unknown): string {
  const message = errorText(error);
  return message.replace(/[\x00-\x1f\x7f]+/g, ' ').slice(0, 120);
}
