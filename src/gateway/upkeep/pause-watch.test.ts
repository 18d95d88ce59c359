import { expect, it, vi } from 'vitest';
import { PauseWatch } from './pause-watch.ts';

it('says how long the process did not run, once, and nothing while it runs', () => {
  vi.useFakeTimers();
  try {
    const log: string[] = [];
    let at = 0;
    const watch = new PauseWatch(
      (sentence) => log.push(sentence),
      () => at,
    );
    const tick = (ms: number) => {
      at += ms;
      vi.advanceTimersByTime(2_000);
    };
    watch.open();
    for (let n = 0; n < 5; n++) tick(2_010);
    tick(4_000);
    expect(log).toEqual([]);
    tick(9_000);
    tick(2_000);
    expect(log).toEqual(['This process did not run for 7 seconds: it was stopped, or something kept it busy.']);
    watch.close();
    tick(60_000);
    expect(log).toHaveLength(1);
  } finally {
    vi.useRealTimers();
  }
});
