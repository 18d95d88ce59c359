import { describe, expect, it } from 'vitest';
import type { Config } from './schema.ts';
import { configSchema } from './schema.ts';
import { listSpendOddities, spendSettingsOf } from './spend-limits.ts';
import { listConfigFaults } from './validate-config.ts';

type Limits = NonNullable<Config['limits']>;

const MODELS: Config = {
  agents: { defaults: { model: { primary: 'house/large', fallbacks: ['house/small'] } } },
  models: {
    providers: {
      house: {
        baseUrl: 'http://127.0.0.1:9/v1',
        models: [{ id: 'large', cost: { input: 3, output: 15 } }, { id: 'small' }],
      },
    },
  },
};

const settings = (limits: Limits) => spendSettingsOf({ ...MODELS, limits }, 'Europe/Berlin');
const oddities = (limits: Limits) => listSpendOddities({ ...MODELS, limits }, {}).map(({ message }) => message);
const faults = (limits: unknown) =>
  listConfigFaults({ limits }, { limits }).map(({ path, found, expected }) => [path.join('.'), found, expected]);

describe('limits on spending', () => {
  it('do not exist unless they are written', () => {
    expect(spendSettingsOf({}, 'UTC')).toBeUndefined();
    expect(settings({ spend: [] })).toBeUndefined();
  });

  it('are refused and told at 80 % unless they say otherwise', () => {
    expect(settings({ spend: [{ per: 'day', money: 5 }] })).toEqual({
      limits: [{ setting: 'limits.spend[0]', per: 'day', money: 5, warnAt: 0.8, unknownPrice: 'refuse' }],
      answerTokens: 16_000,
      timezone: 'Europe/Berlin',
    });
  });

  it('say when the sender or the session that they name is in no form that there is', () => {
    const of = (limit: object) => oddities({ spend: [{ per: 'day', tokens: 5, ...limit }] });
    expect(of({ sender: '4711' })).toEqual([
      expect.stringMatching(/limits\.spend\[0\] is for the sender "4711", and a sender is written channel:sender/),
    ]);
    expect(of({ sender: 'telegrm:4711' })).toEqual([
      expect.stringMatching(/no such channel is configured.* Is "telegram" meant\?$/),
    ]);
    for (const sender of ['*', 'web:me', 'api:me', 'cli:me']) expect(of({ sender })).toEqual([]);
    expect(
      listSpendOddities(
        { ...MODELS, channels: { telegram: {} }, limits: { spend: [{ per: 'day', tokens: 5, sender: 'telegram:1' }] } },
        {},
      ),
    ).toEqual([]);
    expect(of({ session: 'main' })).toEqual([expect.stringMatching(/a session is written as its key/)]);
    for (const session of ['*', 'agent:main:main']) expect(of({ session })).toEqual([]);
  });

  it('count each session for itself with per "session"', () => {
    expect(settings({ spend: [{ per: 'session', tokens: 9 }] })?.limits).toMatchObject([{ session: '*' }]);
  });

  it('name the model that answers instead', () => {
    const [limit] = settings({ spend: [{ per: 'day', money: 5, onReached: { model: 'small' } }] })?.limits ?? [];
    expect(limit?.cheaper).toEqual({ provider: 'house', model: 'small' });
  });

  it.each([
    ['without an amount', [{ per: 'day' }], 'limits.spend.0', 'a limit without an amount', '"money", "tokens" or both'],
    ['without a period', [{ money: 5 }], 'limits.spend.0.per', 'missing', 'one of "day", "month", "session"'],
    [
      'of nothing',
      [{ per: 'day', money: 0 }],
      'limits.spend.0.money',
      'the number 0',
      'a number above 0 and up to 1000000',
    ],
    [
      'with a misspelt scope',
      [{ per: 'day', money: 5, agnet: 'main' }],
      'limits.spend.0.agnet',
      expect.any(String),
      expect.stringContaining('did you mean "agent"'),
    ],
    [
      'twice for the same',
      [
        { per: 'day', money: 5 },
        { per: 'day', tokens: 5 },
      ],
      'limits.spend.1',
      'a second limit for the same',
      expect.stringContaining('entry 0'),
    ],
    [
      'for one session and per session',
      [{ per: 'session', session: 'a', money: 5 }],
      'limits.spend.0',
      'a limit for one session',
      expect.stringContaining('"*"'),
    ],
    [
      'with an unknown reaction',
      [{ per: 'day', money: 5, onReached: 'stop' }],
      'limits.spend.0.onReached',
      'the text "stop"',
      expect.stringContaining('"refuse"'),
    ],
  ])('are not accepted %s', (_, spend, path, found, expected) => {
    expect(faults({ spend })).toEqual([[path, found, expected]]);
  });

  it('are part of the schema for editors', () => {
    expect(configSchema.shape.limits).toBeDefined();
  });
});

describe('what is odd about a limit', () => {
  it('is nothing where every price is known, or only tokens count', () => {
    expect(oddities({ spend: [{ per: 'day', tokens: 5 }] })).toEqual([]);
    const free = { ...MODELS, agents: { defaults: { model: 'mirror/mirror' } } };
    expect(listSpendOddities({ ...free, limits: { spend: [{ per: 'day', money: 5 }] } }, {})).toEqual([]);
  });

  it('is a model whose price is not known, and what becomes of its calls', () => {
    expect(oddities({ spend: [{ per: 'day', money: 5 }] })).toEqual([
      expect.stringMatching(/the price of house\/small is not known, so calls to it are refused/),
    ]);
    expect(oddities({ spend: [{ per: 'day', money: 5, unknownPrice: 'allow' }] })).toEqual([
      expect.stringMatching(/house\/small.*NOT counted/),
    ]);
  });

  it('is an agent that does not exist, and a cheaper model that cannot be used', () => {
    const [agent, model] = oddities({
      spend: [{ agent: 'nobody', per: 'day', tokens: 5, onReached: { model: 'elsewhere/x' } }],
    });
    expect(agent).toMatch(/agent "nobody", which does not exist/);
    expect(model).toMatch(/limits.spend\[0\].onReached cannot be used.*elsewhere/);
  });
});
