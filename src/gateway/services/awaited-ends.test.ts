import { describe, expect, it } from 'vitest';
import { AwaitedEnds } from './awaited-ends.ts';

const end = (runId: string) => ({ runId, status: 'done' as const, outcome: { reply: 'Noted.' }, startedAt: 1 });

describe('AwaitedEnds', () => {
  it('keeps the end of a run for those who wait for it, and of no other', () => {
    const ends = new AwaitedEnds();
    ends.note(end('run_0'));
    const awaited = ends.expect('run_1');
    expect(awaited.known()).toBeUndefined();
    ends.note(end('run_2'));
    ends.note(end('run_1'));
    expect(awaited.known()).toEqual(end('run_1'));
    expect(ends.expect('run_0').known()).toBeUndefined();
    expect(ends.expect('run_2').known()).toBeUndefined();
  });

  it('forgets it when nobody waits any more', () => {
    const ends = new AwaitedEnds();
    const awaited = ends.expect('run_1');
    ends.note(end('run_1'));
    awaited.leave();
    expect(awaited.known()).toBeUndefined();
    ends.note(end('run_1'));
    expect(awaited.known()).toBeUndefined();
  });
});
