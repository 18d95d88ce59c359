import { describe, expect, it } from 'vitest';
import { FaultLog, shapeOf } from './fault-log.ts';

function open() {
  const lines: string[] = [];
  const clock = { now: 0 };
  const log = new FaultLog({ warn: (line) => lines.push(line), now: () => clock.now });
  return { lines, clock, log };
}

describe('a fault that repeats', () => {
  it('with a clock or a counter in its text is one fault', () => {
    const { lines, log } = open();
    for (let count = 0; count < 1_000; count++) {
      log.warn(
        `The plugin "a" failed at /x: call ${count} at 2026-01-01T10:00:${count % 60}.123Z, id 9f8e7d6c-${count}.`,
      );
    }
    expect(lines).toHaveLength(1);
  });

  it('with other words each time has a few lines an hour, and then a count', () => {
    const { lines, clock, log } = open();
    const word = (count: number) => [...String(count)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
    for (let count = 0; count < 100; count++) log.warn(`The plugin "a" failed: ${word(count)}.`);
    log.warn('The plugin "b" failed: no.');
    expect(lines).toHaveLength(6);
    expect(lines[4]).toMatch(/Further ones are counted/);
    expect(lines[5]).toBe('The plugin "b" failed: no.');
    clock.now = 3_600_000;
    log.warn('The plugin "a" failed: again.');
    expect(lines.at(-1)).toBe('The plugin "a" failed: again. (95 times more since the last line.)');
  });

  it('that begins anew is said anew, within the same limit', () => {
    const { lines, log } = open();
    for (let count = 0; count < 100; count++) log.tell('a', 'It failed.');
    expect(lines).toHaveLength(5);
  });
});

it('keeps sentences apart that differ in words', () => {
  expect(shapeOf('no ink at 10:00')).toBe(shapeOf('no ink at 11:59'));
  expect(shapeOf('no ink')).not.toBe(shapeOf('no paper'));
});
