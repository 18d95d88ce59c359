import { describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../../../testkit/for-each-test.ts';
import {
  createTimeContextHandler,
  isWithin,
  MORNING_TEXT,
  OVERNIGHT_TEXT,
  type TimeContextSettings,
} from './handler.ts';

const scratch = workspaceForEachTest({ 'AGENTS.md': 'rules' });

async function textAt(hour: number, settings: TimeContextSettings = {}, situation = {}): Promise<string> {
  const undo = scratch.register('time-context', createTimeContextHandler(settings), { stability: 'run' });
  const at = new Date(`2026-05-06T${`${hour}`.padStart(2, '0')}:30:00Z`);
  const { prompt } = await scratch.compose({ at, ...situation });
  undo();
  return prompt.text;
}

/** `o` for the night, `m` for the morning, `-` for the rest, hour by hour. */
async function dayWith(settings: TimeContextSettings): Promise<string> {
  let day = '';
  for (let hour = 0; hour < 24; hour++) {
    const text = await textAt(hour, settings);
    day += text.includes(OVERNIGHT_TEXT) ? 'o' : text.includes(MORNING_TEXT) ? 'm' : '-';
  }
  return day;
}

describe('the day', () => {
  it('has a night from 22 to 6, a morning until 9, and is quiet otherwise', async () => {
    expect(await dayWith({})).toBe('oooooommm-------------oo');
  });

  it.each([
    [{ overnightStart: 23, overnightEnd: 5 }, 'ooooommmm--------------o'],
    [{ overnightStart: 1, overnightEnd: 4, morningEnd: 5 }, '-ooom-------------------'],
    [{ overnightStart: 12, overnightEnd: 20, morningEnd: 22 }, '------------oooooooomm--'],
    [{ overnightStart: 12, overnightEnd: 23, morningEnd: 1 }, 'm-----------ooooooooooom'],
  ])('can be laid out otherwise: %j', async (settings, expected) => {
    expect(await dayWith(settings)).toBe(expected);
  });

  it('has no morning when the night lasts longer than mornings do', async () => {
    expect(await dayWith({ overnightEnd: 10 })).toBe('oooooooooo------------oo');
    expect(await dayWith({ overnightEnd: 9 })).toBe('ooooooooo-------------oo');
  });

  it('has no night when it begins and ends at once', async () => {
    expect(await dayWith({ overnightStart: 6, overnightEnd: 6 })).toBe('------mmm---------------');
  });

  it('is that of the situation’s zone', async () => {
    expect(await textAt(15, {}, { timezone: 'Asia/Tokyo' })).toContain(OVERNIGHT_TEXT);
    expect(await textAt(15)).not.toContain(OVERNIGHT_TEXT);
  });
});

describe('the words', () => {
  it('can be one’s own, in a file of one’s choice, and can be left out', async () => {
    const texts = { overnight: 'Sleep.', morning: '' };
    expect(await textAt(23, { texts })).toContain('Sleep.');
    expect(await textAt(7, { texts })).not.toContain('Morning');
    expect(await textAt(7, { texts: { overnight: 'Sleep.' } })).toContain(MORNING_TEXT);
    expect(await textAt(23, { file: 'SOUL.md' })).toContain(`\n## SOUL.md\n\n${OVERNIGHT_TEXT}\n`);
  });

  it('are appended to AGENTS.md, and rendered below the boundary unless they are wanted inline', async () => {
    const handler = createTimeContextHandler();
    const at = new Date('2026-05-06T23:30:00Z');
    const undo = scratch.register('time-context', handler, { stability: 'run' });
    const lifted = await scratch.compose({ at });
    undo();
    scratch.register('time-context', handler);
    const inline = await scratch.compose({ at });
    for (const { files } of [lifted, inline]) expect(files[0]?.content).toBe(`rules\n\n---\n\n${OVERNIGHT_TEXT}`);
    const stable = ({ prompt }: typeof lifted) => prompt.text.slice(0, prompt.cacheBoundary);
    expect(stable(lifted)).not.toContain(OVERNIGHT_TEXT);
    expect(lifted.prompt.text).toContain(OVERNIGHT_TEXT);
    expect(stable(inline)).toContain(`rules\n\n---\n\n${OVERNIGHT_TEXT}`);
  });

  it('do not move the stable part of the prompt from one hour to the next', async () => {
    scratch.register('time-context', createTimeContextHandler(), { stability: 'run' });
    const hashes = await Promise.all(
      ['23:30', '07:00', '12:00'].map(async (time) => {
        const { report } = await scratch.compose({ at: new Date(`2026-05-06T${time}:00Z`) });
        return report.prompt.stable.hash;
      }),
    );
    expect(new Set(hashes).size).toBe(1);
  });
});

it('does nothing where no time is known', () => {
  const context = { workspaceDir: '/w', bootstrapFiles: [] };
  const event = { type: 'agent', action: 'bootstrap', sessionKey: '', context, timestamp: new Date(), messages: [] };
  createTimeContextHandler()(event);
  expect(context.bootstrapFiles).toEqual([]);
});

it.each([
  [22, 22, 6, true],
  [5, 22, 6, true],
  [6, 22, 6, false],
  [12, 22, 6, false],
  [9, 9, 17, true],
  [17, 9, 17, false],
  [9, 9, 9, false],
  [23, 0, 24, true],
])('hour %i is between %i and %i: %s', (hour, start, end, expected) => {
  expect(isWithin(hour, start, end)).toBe(expected);
});
