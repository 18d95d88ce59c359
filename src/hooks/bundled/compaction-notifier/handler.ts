// Says one line before a conversation is compacted and one line after it, for the person who waits for the answer.

import type { InternalHookEvent } from '../../../protocol/bootstrap-event.ts';

export function handler({ action, context, messages }: InternalHookEvent): void {
  if (action === 'compact:before') {
    messages.push(
      `This conversation has become long${countOf(context.tokenCount)}. Its older part is being summarised; the answer follows.`,
    );
    return;
  }
  const { tokensBefore, tokensAfter } = context;
  const sizes =
    typeof tokensBefore === 'number' && typeof tokensAfter === 'number'
      ? `, from about ${formatCount(tokensBefore)} to about ${formatCount(tokensAfter)} tokens`
      : '';
  messages.push(`The conversation was made shorter${sizes}.`);
}

function countOf(tokens: unknown): string {
  return typeof tokens === 'number' ? ` (about ${formatCount(tokens)} tokens)` : '';
}

function formatCount(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}
