import { expect, it } from 'vitest';
import type { LiveEvent } from '../protocol/live-event.ts';
import { shownEvents } from './shown-events.ts';

const BASE = { sessionKey: 'agent:main:main', runId: 'run_1', at: 1 } as const;
const delta = (text: string, call = 1): LiveEvent => ({ ...BASE, type: 'text-delta', attempt: 1, call, text });
const end = (reply: string): LiveEvent => ({ ...BASE, type: 'run-end', status: 'done', reply });

function rig() {
  let tell: (event: LiveEvent) => void = () => {};
  let decides = false;
  const shown: string[] = [];
  shownEvents({
    hooks: { has: () => decides },
    subscribe: (listener) => {
      tell = listener;
      return () => {};
    },
  })((event) => shown.push('text' in event ? event.text : event.type));
  return { shown, tell: (event: LiveEvent) => tell(event), policy: (on: boolean) => (decides = on) };
}

it('drafts are shown while they grow when no handler has a say', () => {
  const { shown, tell } = rig();
  for (const event of [delta('Good '), delta('day.'), end('Good day.')]) tell(event);
  expect(shown).toEqual(['Good ', 'day.', 'run-end']);
});

it('drafts are held back while a handler has a say', () => {
  const { shown, tell, policy } = rig();
  policy(true);
  for (const event of [delta('Good '), delta('day.'), end('Good day.')]) tell(event);
  expect(shown).toEqual(['run-end']);
});

it('what was shown is voided when a handler comes in the middle', () => {
  const { shown, tell, policy } = rig();
  tell(delta('Good '));
  policy(true);
  for (const event of [delta('day.'), end('')]) tell(event);
  expect(shown).toEqual(['Good ', 'text-reset', 'run-end']);
});

it('what follows a delta that was held back is held back, also when the handler has gone', () => {
  const { shown, tell, policy } = rig();
  policy(true);
  tell(delta('Good '));
  policy(false);
  for (const event of [delta('day.'), end('Good day.'), delta('Next.')]) tell(event);
  expect(shown).toEqual(['run-end', 'Next.']);
});

it('what was shown is voided when the answer was cancelled or is another one', () => {
  for (const reply of ['', 'Good night.']) {
    const { shown, tell } = rig();
    for (const event of [delta('Good day.'), end(reply)]) tell(event);
    expect(shown).toEqual(['Good day.', 'text-reset', 'run-end']);
  }
});

it('words before a tool call stay, because only the last call is the answer', () => {
  const { shown, tell } = rig();
  for (const event of [delta('Let me look.'), delta('It is 4.', 2), end('It is 4.')]) tell(event);
  expect(shown).toEqual(['Let me look.', 'It is 4.', 'run-end']);
});

it('what was shown until a person stopped the run stays', () => {
  const { shown, tell } = rig();
  for (const event of [delta('Good '), { ...BASE, type: 'run-end', status: 'stopped' } as LiveEvent]) tell(event);
  expect(shown).toEqual(['Good ', 'run-end']);
});
