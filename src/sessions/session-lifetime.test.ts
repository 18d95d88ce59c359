import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../testkit/for-all.ts';
import { decideRollover, type LifetimeSettings, type ResetRule } from './session-lifetime.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const noon = Date.parse('2026-05-06T12:00:00Z');

const KEYS = {
  direct: 'agent:main:discord:direct:42',
  group: 'agent:main:slack:channel:c1',
  thread: 'agent:main:slack:channel:c1:thread:9',
  topic: 'agent:main:telegram:group:-100:topic:7',
  main: 'agent:main:main',
};

type Rules = Omit<LifetimeSettings, 'timezone'>;

function rollover(rules: Rules, agoMs: number, key: keyof typeof KEYS = 'direct', timezone = 'UTC') {
  const session = { sessionKey: KEYS[key], surface: null, activeAt: noon - agoMs };
  return decideRollover(session, { ...rules, timezone }, noon);
}

describe('decideRollover', () => {
  it('keeps a session for ever unless it is told otherwise', () => {
    expect(rollover({}, 1_000 * DAY)).toBeUndefined();
    expect(rollover({ reset: {} }, 1_000 * DAY)).toBeUndefined();
    expect(rollover({ reset: { mode: 'never', idleMinutes: 1 } }, 1_000 * DAY)).toBeUndefined();
  });

  it('ends a session that was silent for longer than it may be', () => {
    const settings = { reset: { mode: 'idle', idleMinutes: 30 } } as const;
    expect(rollover(settings, 30 * MINUTE)).toBeUndefined();
    expect(rollover(settings, 30 * MINUTE + 1)).toBe('idle');
    expect(rollover({ reset: { mode: 'idle' } }, 61 * MINUTE)).toBe('idle');
    expect(rollover({ reset: { mode: 'idle' } }, 59 * MINUTE)).toBeUndefined();
  });

  it('ends a session with the day, which begins at four unless told otherwise', () => {
    expect(rollover({ reset: { mode: 'daily' } }, 8 * 60 * MINUTE)).toBeUndefined();
    expect(rollover({ reset: { mode: 'daily' } }, 8 * 60 * MINUTE + 1)).toBe('daily');
    expect(rollover({ reset: { mode: 'daily', atHour: 11 } }, 61 * MINUTE)).toBe('daily');
    expect(rollover({ reset: { mode: 'daily', atHour: 13 } }, 61 * MINUTE)).toBeUndefined();
    expect(rollover({ reset: { mode: 'daily', atHour: 13 } }, 61 * MINUTE, 'direct', 'Europe/Berlin')).toBe('daily');
  });

  it('takes whichever comes first, and says which it was', () => {
    const settings = { reset: { mode: 'daily', idleMinutes: 60 } } as const;
    expect(rollover(settings, 59 * MINUTE)).toBeUndefined();
    expect(rollover(settings, 2 * 60 * MINUTE)).toBe('idle');
    expect(rollover(settings, 8.5 * 60 * MINUTE)).toBe('daily');
    expect(rollover(settings, 12 * 60 * MINUTE)).toBe('idle');
  });

  it('understands a rule without a mode by its fields, and the setting from before there were rules', () => {
    expect(rollover({ reset: { idleMinutes: 5 } }, 6 * MINUTE)).toBe('idle');
    expect(rollover({ reset: { atHour: 11 } }, 2 * 60 * MINUTE)).toBe('daily');
    expect(rollover({ idleMinutes: 5 }, 6 * MINUTE)).toBe('idle');
    expect(rollover({ idleMinutes: 5, reset: { idleMinutes: 10 } }, 6 * MINUTE)).toBeUndefined();
  });

  it('goes by the type of the session before the general rule', () => {
    const short: ResetRule = { mode: 'idle', idleMinutes: 5 };
    const ago = 6 * MINUTE;
    expect(rollover({ resetByType: { direct: short } }, ago, 'direct')).toBe('idle');
    expect(rollover({ resetByType: { dm: short } }, ago, 'main')).toBe('idle');
    expect(rollover({ resetByType: { group: short } }, ago, 'group')).toBe('idle');
    expect(rollover({ resetByType: { thread: short } }, ago, 'thread')).toBe('idle');
    expect(rollover({ resetByType: { thread: short } }, ago, 'topic')).toBe('idle');
    expect(rollover({ resetByType: { group: short } }, ago, 'thread')).toBeUndefined();
    expect(rollover({ reset: short, resetByType: { group: { mode: 'never' } } }, ago, 'group')).toBeUndefined();
    expect(rollover({ reset: { idleMinutes: 5 }, resetByType: { group: { mode: 'idle' } } }, ago, 'group')).toBe(
      'idle',
    );
  });

  it('goes by the channel before everything else', () => {
    const settings: Rules = {
      reset: { mode: 'daily' },
      resetByType: { group: { mode: 'daily' } },
      resetByChannel: { Slack: { mode: 'idle', idleMinutes: 5 } },
    };
    expect(rollover(settings, 6 * MINUTE, 'group')).toBe('idle');
    expect(rollover(settings, 6 * MINUTE, 'direct')).toBeUndefined();
    const surface = { channel: 'slack', accountId: 'default', peer: { kind: 'direct', id: 'u1' } } as const;
    const main = { sessionKey: KEYS.main, surface, activeAt: noon - 6 * MINUTE };
    expect(decideRollover(main, { ...settings, timezone: 'UTC' }, noon)).toBe('idle');
  });

  it('lets a conversation that was brought from elsewhere go on, until it has gone on here', () => {
    const settings: LifetimeSettings = { reset: { mode: 'daily', idleMinutes: 60 }, timezone: 'UTC' };
    const old = { sessionKey: KEYS.direct, surface: null, activeAt: noon - 90 * DAY };
    const brought = { ...old, state: { import: { from: 'openclaw', at: noon - 2 * DAY } } };
    expect([decideRollover(old, settings, noon), decideRollover(brought, settings, noon)]).toEqual(['idle', undefined]);
    const wentOn = { ...brought, activeAt: noon - DAY };
    expect(decideRollover(wentOn, settings, noon)).toBe('idle');
    expect(decideRollover({ ...wentOn, activeAt: noon - MINUTE }, settings, noon)).toBeUndefined();
  });

  it('never ends a session that was active just now, and once it has ended one it would end an older one too', () => {
    const rule = fc.record(
      {
        mode: fc.constantFrom('daily' as const, 'idle' as const, 'never' as const),
        atHour: fc.integer({ min: 0, max: 23 }),
        idleMinutes: fc.integer({ min: 1, max: 10_000 }),
      },
      { requiredKeys: [] },
    );
    const settings = fc.record({ reset: rule, resetByType: fc.record({ direct: rule }), idleMinutes: fc.nat(500) });
    const ago = fc.integer({ min: 0, max: 20 * DAY });
    forAll([settings, ago, ago, fc.constantFrom('UTC', 'Europe/Berlin')], (given, shorter, more, timezone) => {
      expect(rollover(given, 0, 'direct', timezone)).toBeUndefined();
      if (rollover(given, shorter, 'direct', timezone) === undefined) return;
      expect(rollover(given, shorter + more, 'direct', timezone)).toBeDefined();
    });
  });
});
