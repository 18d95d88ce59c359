import { expect, it } from 'vitest';
import type { LiveEvent } from '../../protocol/live-event.ts';
import { StreamedDraft } from './streamed-draft.ts';

const place = { sessionKey: 'agent:main:main', runId: 'run_1', at: 0, attempt: 1, call: 1 };
const delta = (text: string): LiveEvent => ({ ...place, type: 'text-delta', text });
const RESET: LiveEvent = { ...place, type: 'text-reset', reason: 'another model answers' };

it('sends what no delta told', () => {
  const draft = new StreamedDraft();
  expect(draft.add(delta('Hello'))).toBe('Hello');
  expect(draft.finish('Hello, said late.')).toBe(', said late.');
});

it('holds a new draft back until it is known whether it begins like the voided one', () => {
  const draft = new StreamedDraft();
  draft.add(delta('Hel'));
  expect([draft.add(RESET), draft.add(delta('Hello'))]).toEqual(['', '']);
  expect(draft.finish('Hello again')).toBe('lo again');
  expect(draft.finish('Good day')).toBeUndefined();
});

it('takes no notice of a reset before anything was sent', () => {
  const draft = new StreamedDraft();
  expect(draft.add(RESET)).toBe('');
  expect(draft.add(delta('Good day'))).toBe('Good day');
  expect(draft.finish('Good day')).toBe('');
});
