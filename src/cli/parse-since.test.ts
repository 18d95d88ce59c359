import { describe, expect, it } from 'vitest';
import { BadFlagError } from '../gateway/errors.ts';
import { parseSince } from './parse-since.ts';

const NOW = Date.parse('2026-05-06T10:00:00Z');

describe('--since', () => {
  it.each([
    ['today', 'UTC', '2026-05-06T00:00:00Z'],
    ['today', 'Asia/Tokyo', '2026-05-05T15:00:00Z'],
    ['90m', 'UTC', '2026-05-06T08:30:00Z'],
    ['24h', 'UTC', '2026-05-05T10:00:00Z'],
    [' 7D ', 'UTC', '2026-04-29T10:00:00Z'],
    ['2w', 'UTC', '2026-04-22T10:00:00Z'],
    ['2026-05-01', 'UTC', '2026-05-01T00:00:00Z'],
    ['2026-05-01', 'Pacific/Kiritimati', '2026-04-30T10:00:00Z'],
    ['2026-05-01', 'Pacific/Pago_Pago', '2026-05-01T11:00:00Z'],
    ['1d12h', 'UTC', '2026-05-04T22:00:00Z'],
    ['2026-05-01T08:00', 'Europe/Berlin', '2026-05-01T06:00:00Z'],
    ['2026-05-01T08:00:00.5', 'Europe/Berlin', '2026-05-01T06:00:00.500Z'],
    ['2026-05-01 08:00', 'America/New_York', '2026-05-01T12:00:00Z'],
    ['2026-05-01T08:00+02:00', 'America/New_York', '2026-05-01T06:00:00Z'],
    ['2026-05-01T08:00Z', 'Asia/Tokyo', '2026-05-01T08:00:00Z'],
    ['08:30', 'Asia/Tokyo', '2026-05-05T23:30:00Z'],
  ])('%s in %s', (text, timezone, moment) => {
    expect(new Date(parseSince(text, NOW, timezone)).toISOString()).toBe(new Date(moment).toISOString());
  });

  it.each([
    '',
    'yesterday',
    '7',
    '-1d',
    '2026-13-01',
    '2026-02-30',
    '1e3d',
    '2026-05-01+02:00',
    '2026-05-01T08:00+99:00',
    '2026-05-01T25:00',
  ])('is not %j', (text) => {
    expect(() => parseSince(text, NOW, 'UTC')).toThrow(BadFlagError);
  });
});
