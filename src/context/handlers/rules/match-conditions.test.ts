import { describe, expect, it } from 'vitest';
import type { AgentBootstrapHookContext } from '../../../protocol/bootstrap-event.ts';
import { unmetCondition } from './match-conditions.ts';
import type { RuleConditions } from './rule.ts';

const CONTEXT: AgentBootstrapHookContext = {
  workspaceDir: '/w',
  bootstrapFiles: [],
  agentId: 'ana',
  sessionType: 'interactive',
  timeContext: { hour: 23, dayOfWeek: 3, isWeekend: false, timezone: 'UTC' },
  channelContext: { provider: 'discord', channelId: 'c1' },
};
const VARIABLES = { STAGE: 'prod', EMPTY: '', SECRET: 'hunter2' };

const unmet = (when: RuleConditions, context: Partial<AgentBootstrapHookContext> = {}) =>
  unmetCondition(when, { ...CONTEXT, ...context }, VARIABLES);

const rows: [RuleConditions, holds: boolean][] = [
  [{}, true],
  [{ agent: 'ana' }, true],
  [{ agent: ' ANA ' }, true],
  [{ agent: ['bob', 'ana'] }, true],
  [{ agent: 'bob' }, false],
  [{ agent: [] }, false],
  [{ sessionType: 'interactive' }, true],
  [{ sessionType: ['ci', 'interactive'] }, true],
  [{ sessionType: 'subagent' }, false],
  [{ channel: 'discord' }, true],
  [{ channel: 'Discord' }, true],
  [{ channel: ['slack', 'cli'] }, false],
  [{ channelId: 'c1' }, true],
  [{ channelId: 'C1' }, true],
  [{ channelId: 'c2' }, false],
  [{ hours: '22-6' }, true],
  [{ hours: '22-24' }, true],
  [{ hours: '0-24' }, true],
  [{ hours: '9-17' }, false],
  [{ hours: '9-23' }, false],
  [{ hours: ['9-17', '23-24'] }, true],
  [{ days: 'wed' }, true],
  [{ days: 'mon-fri' }, true],
  [{ days: 'sat-wed' }, true],
  [{ days: 'sat-tue' }, false],
  [{ days: 'sun-sat' }, true],
  [{ days: 'thu-wed' }, true],
  [{ days: ['mon', 'tue'] }, false],
  [{ days: ['mon', 'wed'] }, true],
  [{ weekend: false }, true],
  [{ weekend: true }, false],
  [{ env: { STAGE: 'prod' } }, true],
  [{ env: { STAGE: 'dev' } }, false],
  [{ env: { STAGE: true, MISSING: false, EMPTY: false } }, true],
  [{ env: { MISSING: true } }, false],
  [{ env: { STAGE: false } }, false],
  [{ env: { EMPTY: '' } }, true],
  [{ agent: 'ana', hours: '22-6', env: { STAGE: 'prod' } }, true],
  [{ agent: 'ana', hours: '22-6', env: { STAGE: 'dev' } }, false],
  [{ agent: 'bob', hours: '22-6' }, false],
];

describe('conditions', () => {
  it.each(rows)('%j: %s', (when, holds) => {
    expect(unmet(when) === undefined).toBe(holds);
  });

  it.each([
    ['sun', 0],
    ['mon', 1],
    ['tue', 2],
    ['wed', 3],
    ['thu', 4],
    ['fri', 5],
    ['sat', 6],
  ])('know %s from the other days', (days, dayOfWeek) => {
    for (let day = 0; day < 7; day++) {
      const timeContext = { hour: 0, dayOfWeek: day, isWeekend: false, timezone: 'UTC' };
      expect(unmet({ days }, { timeContext }) === undefined).toBe(day === dayOfWeek);
    }
  });

  it('say in words which of them does not hold', () => {
    expect(unmet({ agent: 'bob' })).toBe('agent is ana, wanted "bob"');
    expect(unmet({ channel: ['slack'] }, { channelContext: undefined } as never)).toBe(
      'channel is none, wanted ["slack"]',
    );
    expect(unmet({ days: 'mon' })).toBe('days is wed, wanted "mon"');
    expect(unmet({ weekend: true })).toBe('weekend is false, wanted true');
  });

  it('never show the value of a variable', () => {
    expect(unmet({ env: { SECRET: 'guess' } })).toBe('env SECRET has another value');
    expect(unmet({ env: { MISSING: 'guess' } })).toBe('env MISSING is not set');
    expect(unmet({ env: { SECRET: false } })).not.toContain('hunter2');
  });

  it('do not find variables that every object has', () => {
    expect(unmet({ env: { constructor: true } })).toBeDefined();
  });
});
