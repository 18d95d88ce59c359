// Limits on spending, seen from a conversation: what is reserved, settled, refused, told, and answered by a cheaper model.

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { LiveEvent } from '../../protocol/live-event.ts';
import { gate } from '../../testkit/gate.ts';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import {
  after,
  cutAfter,
  fail,
  type ModelReply,
  ModelServer,
  reply,
  toolCall,
  toolCalls,
} from '../../testkit/model-server.ts';
import type { ScratchGateway, ScratchGatewaySettings } from '../../testkit/scratch-gateway.ts';
import { recordingTool } from '../../testkit/tool-for-test.ts';
import { saying, settled } from '../subagents/fixtures/children-talk.ts';

const PRICED = { input: 1, output: 10 };
const MODELS = [
  { id: 'small', maxTokens: 1_000, cost: PRICED },
  { id: 'tiny', maxTokens: 100, cost: { input: 0.01, output: 0.1 } },
  { id: 'free', maxTokens: 100, cost: { input: 0, output: 0 } },
  { id: 'odd', maxTokens: 100 },
];

type Limit = Record<string, unknown>;

function limited(spend: readonly Limit[], settings: ScratchGatewaySettings = {}): Promise<ScratchGateway> {
  return gatewayForTest({
    ...settings,
    provider: { models: MODELS },
    config: { limits: { spend }, ...settings.config },
  });
}

const counters = ({ store }: ScratchGateway) =>
  store.select('spending', {
    orderBy: [
      ['subject', 'asc'],
      ['period', 'asc'],
    ],
  });

async function expectNothingReserved(scratch: ScratchGateway): Promise<void> {
  expect(await scratch.store.select('reservations')).toEqual([]);
  for (const { reservedMoney, reservedTokens } of await counters(scratch))
    expect([reservedMoney, reservedTokens]).toEqual([0, 0]);
}

/** How many tokens a call reserves that asks the same. */
async function reservedBy(text: string, answer: ModelReply = reply('Yes.')): Promise<number> {
  const scratch = await limited([{ per: 'day', tokens: 1_000_000_000 }]);
  const held = gate();
  scratch.model.script([after(held.opened, answer)]);
  await scratch.channel.says({}, text);
  await scratch.model.waitForRequests(1);
  const [{ tokens = 0 } = {}] = await scratch.store.select('reservations');
  held.open();
  await scratch.channel.expectDelivered(/./);
  await scratch.close();
  return tokens;
}

describe('without limits', () => {
  it('nothing is reserved and no commit is added', async () => {
    const scratch = await gatewayForTest({ provider: { models: MODELS }, tools: [recordingTool('count', 'counted')] });
    scratch.model.script([toolCall('count'), reply('One.')]);
    await scratch.channel.asks({}, 'Count', 'One.');
    expect(await scratch.store.count('spending')).toBe(0);
    expect(await scratch.store.count('reservations')).toBe(0);
    expect(scratch.store.commits).toMatchObject({ request: 1, 'next-request': 1, result: 1, spend: 0 });
  });
});

describe('a limit with room', () => {
  it('counts what calls have really used, and the run waits for the disk once more for each call', async () => {
    const talk = async (scratch: ScratchGateway) => {
      scratch.model.script([toolCall('count'), reply('One.', { usage: { input: 200, output: 20, cacheRead: 100 } })]);
      const before = scratch.store.waits;
      const { runId } = await scratch.channel.asks({}, 'Count', 'One.');
      await scratch.services.runs.wait(runId);
      return scratch.store.waits - before;
    };
    const tools = [recordingTool('count', 'counted')];
    const scratch = await limited([{ per: 'day', money: 5, tokens: 1_000_000 }], { tools });
    const without = await talk(await gatewayForTest({ provider: { models: MODELS }, tools }));
    expect(await talk(scratch)).toBe(without + 2);
    // 10 + 200 tokens in and 5 + 20 out, at 1 and 10 a million.
    expect(await counters(scratch)).toMatchObject([
      { tokens: 235, money: (210 + 250) * 1_000, unpriced: 0, warnedAt: null },
    ]);
    await expectNothingReserved(scratch);
    expect(scratch.store.commits.spend).toBe(0);
  });

  it('holds the most that a call may cost while it is made', async () => {
    const scratch = await limited([{ per: 'day', money: 5 }]);
    const held = gate();
    scratch.model.script([after(held.opened, reply('Yes.'))]);
    await scratch.channel.says({}, 'Hi');
    await scratch.model.waitForRequests(1);
    const [reservation] = await scratch.store.select('reservations');
    const [counter] = await counters(scratch);
    // The answer alone may cost 1,000 tokens at 10 a million.
    expect(reservation?.money).toBeGreaterThan(10_000_000);
    expect(counter).toMatchObject({ money: 0, reservedMoney: reservation?.money, reservedTokens: reservation?.tokens });
    held.open();
    await scratch.channel.expectDelivered('Yes.');
    await vi.waitFor(() => expectNothingReserved(scratch));
  });

  it('that is set in the middle of a day counts what was used before', async () => {
    const scratch = await gatewayForTest({ provider: { models: MODELS } });
    scratch.model.script([reply('One.'), reply('Two.')]);
    await scratch.channel.asks({}, 'First', 'One.');
    await scratch.stop();
    const config = JSON.parse(await scratch.home.read('openclaw.json'));
    await scratch.home.write(
      'openclaw.json',
      JSON.stringify({ ...config, limits: { spend: [{ per: 'day', tokens: 1e6 }] } }),
    );
    await scratch.start();
    const { limits } = await scratch.services.spending();
    expect(limits).toMatchObject([{ counters: [{ spentTokens: 15 }] }]);
    await scratch.channel.asks({}, 'Second', 'Two.');
    await vi.waitFor(async () => expect(await counters(scratch)).toMatchObject([{ tokens: 30, reservedTokens: 0 }]));
  });

  it('counts each sender, agent and session for itself where it says so', async () => {
    const scratch = await limited([
      { sender: '*', per: 'day', tokens: 1_000_000 },
      { agent: 'main', per: 'month', tokens: 1_000_000 },
      { agent: 'other', per: 'month', tokens: 1 },
      { per: 'session', tokens: 1_000_000 },
    ]);
    scratch.model.script([reply('Hello, Ann.'), reply('Hello, Bob.'), reply('Again.')]);
    await scratch.channel.asks({ sender: 'ann' }, 'Hi', 'Hello, Ann.');
    await scratch.channel.asks({ sender: 'bob' }, 'Hi', 'Hello, Bob.');
    await scratch.channel.asks({ sender: 'ann' }, '/new Hi', 'Again.');
    await vi.waitFor(async () => {
      const found = (await counters(scratch)).map(({ subject, per, tokens }) => [...JSON.parse(subject), per, tokens]);
      expect(found.filter(([, , , per]) => per === 'day')).toEqual([
        [null, null, 'test:ann', 'day', 30],
        [null, null, 'test:bob', 'day', 15],
      ]);
      expect(found.filter(([, , , per]) => per === 'month')).toEqual([['main', null, null, 'month', 45]]);
      expect(found.filter(([, , , per]) => per === 'session').map(([, , , , tokens]) => tokens)).toEqual([15, 15, 15]);
    });
  });
});

describe('a refusal', () => {
  it('says when there is room again: later today, or as soon as the calls have ended that hold it', async () => {
    const one = await reservedBy('Hi');
    const scratch = await limited([{ per: 'day', tokens: one + 10 }]);
    const held = gate();
    scratch.model.script([after(held.opened, reply('Yes.', { usage: { input: 10, output: 10 } }))]);
    await scratch.channel.says({}, 'Hi');
    await scratch.model.waitForRequests(1);
    await scratch.channel.says({ sender: 'other' }, 'Hi');
    expect((await scratch.channel.expectDelivered(/could not be answered/)).text).toMatch(
      /0 tokens spent, [\d,]+ tokens reserved for calls that are being made, .*try again in a moment\.$/,
    );
    held.open();
    await scratch.channel.expectDelivered('Yes.');
    await vi.waitFor(() => expectNothingReserved(scratch));
    await scratch.channel.says({ sender: 'other' }, 'Hi');
    expect((await scratch.channel.expectDelivered(/could not be answered/)).text).toMatch(
      /20 tokens spent, and this call .* The limit begins anew on \d{4}-\d\d-\d\d at 00:00 \(UTC\); the operator can raise it\.$/,
    );
    expect(scratch.model.requests).toHaveLength(1);
  });
});

describe('a limit without room', () => {
  it('refuses the run before the model is called, in words for the person', async () => {
    const scratch = await limited([{ agent: 'main', per: 'day', money: 0.001 }]);
    const { runId } = await scratch.channel.says({}, 'Hi');
    const { text } = await scratch.channel.expectDelivered(/could not be answered/);
    expect(text).toMatch(/the limit of 0\.0010 a day for the agent "main" \(limits\.spend\[0\]\) has no room/);
    expect(text).toMatch(
      /0 spent, and this call may take up to 0\.0\d+\. The whole limit is smaller than what this one/,
    );
    expect(scratch.model.requests).toEqual([]);
    expect(await scratch.services.runs.wait(runId)).toMatchObject({
      status: 'failed',
      outcome: { errorCode: 'ATRIUM_SPEND_LIMIT' },
    });
    const transcript = await scratch.store.select('transcript', { orderBy: [['position', 'asc']] });
    expect(transcript.map(({ kind, shown }) => [kind, shown])).toEqual([
      ['notice', 'Hi'],
      ['notice', expect.stringContaining('has no room')],
    ]);
    await expectNothingReserved(scratch);
  });

  it('ends a run between its tools, and keeps what was done', async () => {
    const one = await reservedBy('Count');
    const scratch = await limited([{ per: 'day', tokens: one + 100 }], { tools: [recordingTool('count', 'counted')] });
    const used = { ...toolCall('count'), usage: { input: 200, output: 5, cacheRead: 0, cacheWrite: 0 } };
    scratch.model.script([used, reply('Never said.')]);
    const { runId } = await scratch.channel.says({}, 'Count');
    await scratch.channel.expectDelivered(/205 tokens spent/);
    expect(scratch.model.requests).toHaveLength(1);
    const transcript = await scratch.store.select('transcript', { where: { runId }, orderBy: [['position', 'asc']] });
    expect(transcript.map(({ kind, message }) => `${kind} ${message.role}`)).toEqual([
      'message user',
      'message assistant',
      'message tool',
      'notice assistant',
    ]);
    expect(await counters(scratch)).toMatchObject([{ tokens: 205 }]);
    await expectNothingReserved(scratch);
  });

  it('lets the cheaper model answer where one is set, and says why', async () => {
    const scratch = await limited([{ per: 'day', money: 0.005, onReached: { model: 'fake/tiny' } }]);
    scratch.model.script([reply('Cheaply.'), reply('Again.')]);
    const { runId } = await scratch.channel.asks({}, 'Hi', 'Cheaply.');
    expect(scratch.model.requests[0]?.json.model).toBe('tiny');
    expect((await scratch.services.runs.wait(runId)).outcome).toMatchObject({
      model: 'tiny',
      because: expect.stringMatching(/fake\/tiny answers instead of fake\/small, because the limit of 0\.0050 a day/),
    });
    await expectNothingReserved(scratch);
  });

  it('lets the cheaper model answer with a key that the agent alone has', async () => {
    const profiles = { 'own:ana': { type: 'api_key', provider: 'own', key: 'k-of-ana' } };
    const server = await ModelServer.start();
    onTestFinished(() => server.close());
    const api = 'openai-completions';
    const fake = { baseUrl: server.baseUrl, apiKey: 'test-key', api, models: MODELS };
    const scratch = await gatewayForTest({
      files: { 'agents/ana/agent/auth-profiles.json': JSON.stringify({ version: 1, profiles }) },
      config: {
        agents: { defaults: { model: 'fake/small' }, list: [{ id: 'main', default: true }, { id: 'ana' }] },
        models: { providers: { fake, own: { baseUrl: server.baseUrl, api, models: MODELS } } },
        limits: { spend: [{ per: 'day', money: 0.005, onReached: { model: 'own/tiny' } }] },
      },
    });
    server.script([reply('Cheaply.')]);
    await scratch.channel.says({}, 'Hi', { agentId: 'ana' });
    await scratch.channel.expectDelivered('Cheaply.');
    expect(server.requests.map(({ headers, json }) => [json.model, headers.authorization])).toEqual([
      ['tiny', 'Bearer k-of-ana'],
    ]);
  });

  it.each([
    ['does not fit either', 'fake/tiny', 0.000_01, 'ATRIUM_SPEND_LIMIT'],
    ['has no price', 'fake/odd', 0.001, 'ATRIUM_SPEND_PRICE_UNKNOWN'],
    ['cannot be used', 'nowhere/x', 0.001, 'ATRIUM_SPEND_LIMIT'],
  ])('refuses when the cheaper model %s', async (_, model, money, errorCode) => {
    const scratch = await limited([{ per: 'day', money, onReached: { model } }]);
    const { runId } = await scratch.channel.says({}, 'Hi');
    expect(await scratch.services.runs.wait(runId)).toMatchObject({ status: 'failed', outcome: { errorCode } });
    expect(scratch.model.requests).toEqual([]);
  });

  it.each([
    [
      'first',
      [
        { per: 'day', tokens: 1 },
        { per: 'month', money: 0.001, onReached: { model: 'fake/free' } },
      ],
    ],
    [
      'last',
      [
        { per: 'month', money: 0.001, onReached: { model: 'fake/free' } },
        { per: 'day', tokens: 1 },
      ],
    ],
  ])('that refuses is not passed by the cheaper model of another one, also when it stands %s', async (_, spend) => {
    const scratch = await limited(spend);
    const { runId } = await scratch.channel.says({}, 'Hi');
    const { outcome } = await scratch.services.runs.wait(runId);
    expect(outcome).toMatchObject({
      errorCode: 'ATRIUM_SPEND_LIMIT',
      error: expect.stringContaining('1 tokens a day'),
    });
    expect(scratch.model.requests).toEqual([]);
    await expectNothingReserved(scratch);
  });

  it('goes on with a model that costs nothing, however much was spent', async () => {
    const scratch = await limited([{ per: 'day', money: 0.03, onReached: { model: 'fake/free' } }]);
    scratch.model.script([reply('Dear.', { usage: { input: 1_000_000 } }), reply('Free.')]);
    await scratch.channel.asks({}, 'Hi', 'Dear.');
    await scratch.channel.asks({}, 'Hi', 'Free.');
    expect(scratch.model.requests.map(({ json }) => json.model)).toEqual(['small', 'free']);
  });

  it('is looked at for the model that a plugin has chosen', async () => {
    const scratch = await limited([{ per: 'day', money: 0.005 }], {
      register: (hooks) => {
        hooks.register({
          hook: 'before_model_resolve',
          id: 'thrift',
          owner: 'thrift',
          handler: () => ({ modelOverride: 'fake/tiny' }),
        });
      },
    });
    scratch.model.script([reply('It fits.')]);
    await scratch.channel.asks({}, 'Hi', 'It fits.');
  });

  it('is not passed by children that work at the same time', async () => {
    const one = await reservedBy('Count to 3.');
    const scratch = await limited([{ sender: '*', per: 'day', tokens: one * 3 }]);
    const names = ['a', 'b', 'c', 'd', 'e'];
    const held = gate();
    const spawns = names.map((name) => ({ name: 'sessions_spawn', params: { task: `Work on ${name}.` } }));
    let most = 0;
    scratch.model.script((request) => {
      const answer = saying({
        Go: toolCalls(spawns),
        'Work on': after(held.opened, reply('Done.', { usage: { input: 10, output: 5 } })),
      });
      try {
        return answer(request);
      } catch {
        return reply('So be it.');
      }
    });
    await scratch.channel.says({}, 'Go');
    const look = async () => {
      const [row] = await counters(scratch);
      most = Math.max(most, (row?.tokens ?? 0) + (row?.reservedTokens ?? 0));
      return row;
    };
    await vi.waitFor(async () => {
      await look();
      expect(await scratch.store.count('runs', { status: 'failed' })).toBeGreaterThan(0);
    });
    held.open();
    const children = await settled(scratch, 5);
    await look();
    expect(most).toBeLessThanOrEqual(one * 3);
    expect(children.filter(({ error }) => error?.includes('has no room')).length).toBeGreaterThan(0);
    expect(children.filter(({ outcome }) => outcome === 'ok').length).toBeGreaterThan(0);
    await vi.waitFor(() => expectNothingReserved(scratch));
  });
});

describe('what a call has used', () => {
  it('is nothing when the provider failed before a word came, and the next try reserves again', async () => {
    const scratch = await limited([{ per: 'day', tokens: 1_000_000 }]);
    scratch.model.script([fail(529), fail(529), reply('Here.')]);
    await scratch.channel.asks({}, 'Hi', 'Here.');
    await vi.waitFor(async () => expect(await counters(scratch)).toMatchObject([{ tokens: 15 }]));
    expect(scratch.store.commits.spend).toBe(2);
    await expectNothingReserved(scratch);
  });

  it('is estimated when the answer broke off, or the provider does not say', async () => {
    const scratch = await limited([{ per: 'day', tokens: 1_000_000 }]);
    scratch.model.script([cutAfter(7), reply('Here.', { usage: { input: 0, output: 0 } })]);
    await scratch.channel.asks({}, 'Hi', 'Here.');
    const [counter] = await counters(scratch);
    const size = scratch.model.requests[0]?.body.length ?? 0;
    expect(counter?.tokens).toBeGreaterThan(size / 8);
    await expectNothingReserved(scratch);
  });

  it('of unknown price is refused, or counted as unknown and never as zero', async () => {
    const config = { agents: { defaults: { model: 'fake/odd' } } };
    const strict = await limited([{ per: 'day', money: 5 }], { config });
    const { runId } = await strict.channel.says({}, 'Hi');
    expect((await strict.services.runs.wait(runId)).outcome?.error).toMatch(
      /fake\/odd was not called, because its price/,
    );
    const open = await limited([{ per: 'day', money: 5, unknownPrice: 'allow' }], { config });
    open.model.script([reply('Allowed.')]);
    await open.channel.asks({}, 'Hi', 'Allowed.');
    await vi.waitFor(async () => expect(await counters(open)).toMatchObject([{ money: 0, tokens: 15, unpriced: 1 }]));
  });

  it('includes the summary of a long conversation', async () => {
    const compaction = { keepRecentTokens: 50 };
    const scratch = await limited([{ per: 'day', tokens: 1_000_000 }], {
      config: { agents: { defaults: { model: 'fake/small', compaction } } },
    });
    scratch.model.script([
      reply('A long story. '.repeat(50)),
      reply('Another one. '.repeat(50)),
      reply('In short: stories.'),
    ]);
    await scratch.channel.asks({}, 'Tell me', /A long story/);
    await scratch.channel.asks({}, 'More', /Another one/);
    await scratch.channel.asks({}, '/compact', /./);
    expect(scratch.model.requests).toHaveLength(3);
    await vi.waitFor(async () => expect(await counters(scratch)).toMatchObject([{ tokens: 45 }]));
    expect(scratch.store.commits.spend).toBe(1);
    await expectNothingReserved(scratch);
  });
});

describe('a limit that is near', () => {
  it('is told once for its period, in the log and to those who watch', async () => {
    const scratch = await limited([{ per: 'day', tokens: 1_000_000, warnAt: 0.5 }]);
    const told: LiveEvent[] = [];
    scratch.services.subscribe((event) => void (event.type === 'limit-near' && told.push(event)));
    scratch.model.script([reply('One.'), reply('Two.', { usage: { input: 600_000 } }), reply('Three.')]);
    await scratch.channel.asks({}, 'First', 'One.');
    await scratch.channel.asks({}, 'Second', 'Two.');
    await vi.waitFor(() => expect(told).toHaveLength(1));
    await scratch.channel.asks({}, 'Third', 'Three.');
    expect(told).toMatchObject([
      {
        setting: 'limits.spend[0]',
        text: expect.stringMatching(/^60 % of the limit of 1,000,000 tokens a day for all agents together/),
      },
    ]);
    expect(scratch.warnings.filter((each) => each.includes('60 %'))).toHaveLength(1);
    const [counter] = await counters(scratch);
    expect(counter?.warnedAt).not.toBeNull();
  });
});

it('a limit that is set above its share in the middle of a period is told with the first call', async () => {
  const scratch = await gatewayForTest({ provider: { models: MODELS } });
  scratch.model.script([reply('One.', { usage: { input: 900_000 } }), reply('Two.'), reply('Three.')]);
  await scratch.channel.asks({}, 'First', 'One.');
  const config = JSON.parse(await scratch.home.read('openclaw.json'));
  config.limits = { spend: [{ per: 'day', tokens: 1_000_000 }] };
  await scratch.home.write('openclaw.json', JSON.stringify(config));
  await scratch.services.configuration.state();
  const told: LiveEvent[] = [];
  scratch.services.subscribe((event) => void (event.type === 'limit-near' && told.push(event)));
  await scratch.channel.asks({}, 'Second', 'Two.');
  await vi.waitFor(() => expect(told).toMatchObject([{ text: expect.stringMatching(/^90 % of the limit/) }]));
  await scratch.channel.asks({}, 'Third', 'Three.');
  expect(told).toHaveLength(1);
});

describe('a changed configuration', () => {
  it('holds from the next call on', async () => {
    const scratch = await limited([{ per: 'day', tokens: 10 }]);
    await scratch.channel.says({}, 'Hi');
    await scratch.channel.expectDelivered(/has no room/);
    const config = JSON.parse(await scratch.home.read('openclaw.json'));
    config.limits.spend = [{ per: 'day', tokens: 1_000_000 }];
    await scratch.home.write('openclaw.json', JSON.stringify(config));
    await scratch.services.configuration.state();
    scratch.model.script([reply('Now it fits.')]);
    await scratch.channel.asks({}, 'Hi', 'Now it fits.');
  });
});
