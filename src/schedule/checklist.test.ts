import { expect, it } from 'vitest';
import { isActive, parseTimeOfDay } from './active-hours.ts';
import { isChecklistEmpty } from './heartbeats.ts';

it.each([
  '',
  '# Heartbeat\n\n## Daily\n',
  '# Heartbeat\n<!-- write down\nwhat to look after -->\n',
  '<!-- never closed',
  '- \n* \n+\n1.\n- [ ]\n- [x]\n[ ]\n>\n---\n',
  '---\ntitle: x\n---\n# Heartbeat\n',
  '\uFEFF# Heartbeat\r\n\r\n',
  '```\n```\n',
])('asks for nothing: %j', (text) => {
  expect(isChecklistEmpty(text)).toBe(true);
});

it.each([
  'look at the mail',
  '# Heartbeat\n- [ ] water the plants\n',
  '1. call',
  '- x',
  '> read this',
  '#hashtag',
  '<!-- a --> b',
])('asks for something: %j', (text) => {
  expect(isChecklistEmpty(text)).toBe(false);
});

it('takes no longer for a line of nothing but blanks', () => {
  const blanks = ' '.repeat(100_000);
  expect(isChecklistEmpty(`${blanks}x`)).toBe(false);
  expect(isChecklistEmpty(`# ${blanks}\u2028x\n-${blanks}`)).toBe(true);
}, 40_000);

it('knows the hours of a day, over midnight too', () => {
  const at = (text: string) => Date.parse(`2026-07-01T${text}:00Z`);
  const day = { start: 8 * 60, end: 22 * 60, timezone: 'Europe/Berlin' };
  expect([isActive(day, at('06:00')), isActive(day, at('05:59')), isActive(day, at('20:00'))]).toEqual([
    true,
    false,
    false,
  ]);
  const night = { start: 22 * 60, end: 6 * 60, timezone: 'UTC' };
  expect([isActive(night, at('23:00')), isActive(night, at('05:59')), isActive(night, at('06:00'))]).toEqual([
    true,
    true,
    false,
  ]);
  expect(isActive({ start: 0, end: 1_440, timezone: 'UTC' }, at('00:00'))).toBe(true);
  expect(isActive({ start: 60, end: 60, timezone: 'UTC' }, at('12:00'))).toBe(true);
  expect([parseTimeOfDay('24:00'), parseTimeOfDay('8:05'), parseTimeOfDay('24:01'), parseTimeOfDay('8:60')]).toEqual([
    1_440,
    485,
    undefined,
    undefined,
  ]);
});
