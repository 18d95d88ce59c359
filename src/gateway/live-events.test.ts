import { expect, it } from 'vitest';
import type { LiveEvent } from '../protocol/live-event.ts';
import { LiveEvents } from './live-events.ts';

const EVENT: LiveEvent = { type: 'run-end', runId: 'run_1', sessionKey: 'agent:main:main', at: 1, status: 'done' };

it('tells every listener, and one that throws does not disturb the others and still gets the next event', () => {
  const warnings: string[] = [];
  const live = new LiveEvents((sentence) => warnings.push(sentence));
  const seen: string[] = [];
  live.subscribe(() => {
    seen.push('bad');
    throw new Error('broken');
  });
  const undo = live.subscribe(() => seen.push('good'));
  live.emit(EVENT);
  live.emit(EVENT);
  undo();
  live.emit(EVENT);
  expect(seen).toEqual(['bad', 'good', 'bad', 'good', 'bad']);
  expect(warnings).toEqual(Array(3).fill('A listener to live events failed on run-end: broken'));
});

it('waits for the next event that matches, or until its signal aborts', async () => {
  const live = new LiveEvents(() => {});
  const ended = live.next(({ runId }) => runId === 'run_1', undefined);
  live.emit({ ...EVENT, runId: 'run_0' });
  live.emit(EVENT);
  await ended;
  const gone = new AbortController();
  const waiting = live.next(() => true, gone.signal);
  gone.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  await expect(live.next(() => true, gone.signal)).rejects.toThrow('gone');
  const late = live.next(() => true, undefined);
  live.close(new Error('stopping'));
  await expect(late).rejects.toThrow('stopping');
});
