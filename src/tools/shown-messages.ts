// A stretch of a transcript as a session tool shows it: newest messages first to be kept, in the order in which they
// were said, each one and all together bounded.

import { type Message, textOf, toolCallsOf } from '../protocol/message.ts';
import type { TranscriptRow } from '../store/tables.ts';

export interface ShownMessage {
  readonly position: number;
  readonly at: string;
  readonly role: Message['role'];
  readonly text: string;
  readonly tool?: string;
  readonly calls?: readonly string[];
  /** How many characters of the text are not shown. */
  readonly cut?: number;
}

export interface ShownOptions {
  readonly includeTools: boolean;
  readonly maxCharsEach: number;
  readonly maxCharsTotal: number;
}

/** `rows` are in transcript order. */
export function showMessages(rows: readonly TranscriptRow[], options: ShownOptions): readonly ShownMessage[] {
  const shown: ShownMessage[] = [];
  let chars = 0;
  for (const row of rows.toReversed()) {
    const message = showMessage(row, options);
    if (!message) continue;
    chars += message.text.length;
    if (shown.length > 0 && chars > options.maxCharsTotal) break;
    shown.unshift(message);
  }
  return shown;
}

function showMessage(row: TranscriptRow, { includeTools, maxCharsEach }: ShownOptions): ShownMessage | undefined {
  const { message, position, at } = row;
  if (row.kind === 'notice' || (message.role === 'tool' && !includeTools)) return undefined;
  const calls = includeTools && message.role === 'assistant' ? toolCallsOf(message).map(({ name }) => name) : [];
  const whole = row.shown ?? (message.role === 'assistant' ? textOf(message) : message.content);
  // An assistant's message that only calls tools says nothing to whoever leaves tools out.
  if (whole === '' && calls.length === 0) return undefined;
  const text = whole.slice(0, maxCharsEach).replace(/[\ud800-\udbff]$/, '');
  return {
    position,
    at: new Date(at).toISOString(),
    role: message.role,
    ...(message.role === 'tool' ? { tool: message.toolName } : {}),
    ...(calls.length > 0 ? { calls } : {}),
    text,
    ...(text.length < whole.length ? { cut: whole.length - text.length } : {}),
  };
}
