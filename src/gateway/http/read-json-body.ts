// The body of a request as JSON, never longer than allowed. What is too long is refused before it is held in memory.

import { BodyTooLargeError, RequestInvalidError } from '../errors.ts';

/** `{}` for an empty body. */
export async function readJsonBody(request: Request, limitBytes: number): Promise<unknown> {
  const text = await readText(request, limitBytes);
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RequestInvalidError({ problem: `The body is not JSON: ${brief(error)}.` });
  }
}

async function readText(request: Request, limitBytes: number): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes) throw new BodyTooLargeError({ limitBytes });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > limitBytes) throw new BodyTooLargeError({ limitBytes });
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new RequestInvalidError({ problem: 'The body is not UTF-8 text.' });
  }
}

/** The parser's words quote the body, which may be long and hold anything. */
function brief(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/[\x00-\x1f\x7f]+/g, ' ').slice(0, 120);
}
