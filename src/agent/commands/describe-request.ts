// The size of a whole request in the words of a chat: its parts, its share of the model's window, and how far it is from
// being compacted.

import { chatLine, chatList, sizeOf } from '../../commands/chat-text.ts';
import { countOf } from '../../protocol/count-of.ts';
import type { RequestMeasure, RequestRoom } from '../measure-request.ts';

const MOST_AUTHORS = 15;

/** One line, and with `inDetail` a list of the authors of tools, history and message behind it. */
export function describeRequest(request: RequestMeasure, inDetail: boolean): readonly string[] {
  const parts = request.parts
    .filter(({ count }) => count > 0)
    .map(({ part, tokens }) => `${part} ${tokens.toLocaleString('en-US')}`);
  const line = `Whole request: ${sizeOf(request)} (${parts.join(', ')})${request.room ? `; ${describeRoom(request, request.room)}` : ''}`;
  if (!inDetail) return [chatLine(line, LONGEST_LINE)];
  const authors = request.parts
    .filter(({ part }) => part !== 'system')
    .flatMap(({ part, authors: ofPart }) => ofPart.map((author) => ({ part, ...author })))
    .sort((a, b) => b.tokens - a.tokens);
  const named = authors
    .slice(0, MOST_AUTHORS)
    .map(({ part, origin, ...size }) => chatLine(`${part}, ${origin}: ${sizeOf(size)}`));
  const rest = authors.length - named.length;
  return [
    chatLine(line, LONGEST_LINE),
    ...chatList('The largest pieces beside the system prompt', [...named, ...(rest > 0 ? [`and ${rest} more`] : [])]),
  ];
}

const LONGEST_LINE = 500;

function describeRoom({ tokens }: RequestMeasure, { window, free, untilCompaction }: RequestRoom): string {
  const share = `${((100 * tokens) / window).toFixed(1)} % of the window of ${countOf(window, 'token')}, ${Math.max(0, free).toLocaleString('en-US')} free`;
  if (untilCompaction === undefined) return share;
  return `${share}; ${untilCompaction > 0 ? `${untilCompaction.toLocaleString('en-US')} until compaction` : 'it is compacted next'}`;
}
