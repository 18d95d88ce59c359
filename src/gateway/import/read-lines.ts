// The lines of a file that has one JSON value on each, one after the other. A line that is too long or no JSON is named and
// the rest goes on; a last line without an end may be cut off and is named too. Memory is bounded by the longest line.

import { createReadStream } from 'node:fs';
import type { SourceEvent } from './source-session.ts';

export const LONGEST_LINE = 16 * 1024 * 1024;

export async function* readJsonLines(file: string): AsyncGenerator<SourceEvent> {
  let pieces: Buffer[] = [];
  let size = 0;
  let line = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, end));
      yield* finish();
      from = end + 1;
    }
    add(chunk.subarray(from));
  }
  if (size > 0) yield* finish();

  function add(piece: Buffer): void {
    size += piece.length;
    if (size > LONGEST_LINE) pieces = [];
    else pieces.push(piece);
  }

  function* finish(): Generator<SourceEvent> {
    line += 1;
    const isTooLong = size > LONGEST_LINE;
    const text = isTooLong ? '' : Buffer.concat(pieces).toString('utf8').trim();
    pieces = [];
    size = 0;
    if (isTooLong) yield { line, problem: `it has more than ${LONGEST_LINE} bytes` };
    else if (text !== '') yield parseLine(line, text);
  }
}

function parseLine(line: number, text: string): SourceEvent {
  try {
    return { line, value: JSON.parse(text) };
  } catch {
    return { line, problem: 'it is not JSON' };
  }
}
