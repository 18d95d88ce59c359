import { describe, expect, it } from 'vitest';
import { replyTargetOf } from './reply-target.ts';

const answer = (part: number) => ({ part, options: { replyToId: 'm1' } });
const asked = (part: number) => ({ part, options: { replyToId: 'm1', isReplyAsked: true } });

describe('which message a part replies to', () => {
  it('is said by the mode for ordinary answers', () => {
    const targets = (['off', 'first', 'all'] as const).map((mode) =>
      [1, 2].map((part) => replyTargetOf(answer(part), mode)),
    );
    expect(targets).toEqual([
      [undefined, undefined],
      ['m1', undefined],
      ['m1', 'm1'],
    ]);
  });

  it('is the message that the agent named, in any mode', () => {
    const targets = (['off', 'first', 'all'] as const).map((mode) =>
      [1, 2].map((part) => replyTargetOf(asked(part), mode)),
    );
    expect(targets).toEqual([
      ['m1', undefined],
      ['m1', undefined],
      ['m1', 'm1'],
    ]);
  });

  it('is none when no message is named', () => {
    expect(replyTargetOf({ part: 1, options: {} }, 'all')).toBeUndefined();
    expect(replyTargetOf({ part: 1, options: { replyToId: 7 } }, 'all')).toBeUndefined();
  });
});
