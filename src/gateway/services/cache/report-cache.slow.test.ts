import { describe, expect, it } from 'vitest';
import { gatewayForTest } from '../../../testkit/gateway-for-test.ts';
import { fail, reply } from '../../../testkit/model-server.ts';
import { on } from '../../../testkit/on.ts';
import type { ScratchGateway, ScratchGatewaySettings } from '../../../testkit/scratch-gateway.ts';
import type { TestPlace } from '../../../testkit/test-channel.ts';
import { toolForTest } from '../../../testkit/tool-for-test.ts';
import { type CacheQuery, reportCache } from './report-cache.ts';

const NOON = Date.parse('2026-05-06T12:00:00Z');
const RULES = '# Rules\n\nBe brief.\nBe kind.\n';
const COST = { input: 10, output: 0, cacheRead: 1, cacheWrite: 12 };

interface Talk {
  readonly scratch: ScratchGateway;
  says(text: string, place?: TestPlace): Promise<string>;
  report(query?: CacheQuery): ReturnType<typeof reportCache>;
  /** Sets the clock forward. */
  wait(ms: number): void;
}

async function talk(settings: ScratchGatewaySettings = {}): Promise<Talk> {
  let clock = NOON;
  const scratch = await gatewayForTest({
    now: () => clock++,
    ...settings,
    files: { 'workspace/AGENTS.md': RULES, ...settings.files },
  });
  scratch.model.script(() => reply('Well.'));
  return {
    scratch,
    says: async (text, place = { sender: 'ann' }) => {
      clock += 60_000;
      const { runId = '' } = await scratch.channel.says(place, text);
      await scratch.services.runs.wait(runId);
      return runId;
    },
    report: (query = {}) => reportCache(scratch.store, query, scratch.services.models.pricesOf),
    wait: (ms) => {
      clock += ms;
    },
  };
}

describe('a conversation that goes on', () => {
  it('shares the whole request before, and nothing is broken', async () => {
    const { says, report } = await talk();
    for (const text of ['one', 'two', 'three']) await says(text);
    const { requests, prefix, breaks, breakCount } = await report();
    expect(requests).toEqual({ runs: 3, sent: 3, compared: 2, first: 1, gone: 0 });
    expect(prefix.share).toBe(1);
    expect([breaks, breakCount]).toEqual([[], 0]);
  });

  it('is compared with the run before, call by call, for one run', async () => {
    const { says, report } = await talk();
    const first = await says('one');
    const runId = await says('two');
    const { calls, requests } = await report({ runId });
    expect(requests).toMatchObject({ runs: 1, compared: 1 });
    expect(calls).toMatchObject([{ call: 1, with: { kind: 'run', runId: first, call: 1 }, break: null }]);
    expect(calls?.[0]?.sharedBytes).toBe(calls?.[0]?.shareableBytes);
    await expect(report({ runId: 'run_none' })).rejects.toThrow(/There is no run/);
  });
});

describe('a break', () => {
  it('names the file and the line that was edited', async () => {
    const { scratch, says, report } = await talk();
    await says('one');
    await scratch.home.write('workspace/AGENTS.md', RULES.replace('kind', 'very kind'));
    const runId = await says('two');
    const { breaks, prefix } = await report();
    expect(breaks).toMatchObject([{ runId, cause: 'file', author: 'AGENTS.md', line: 4, isInput: true, times: 1 }]);
    expect(breaks[0]?.where).toMatch(/^system, line \d+$/);
    expect(prefix.share).toBe(1);
  });

  it.each([
    ['added', undefined, '# Tools\n'],
    ['removed', '# Tools\n', undefined],
  ])('names a file that was %s', async (_, before, after) => {
    const path = 'workspace/TOOLS.md';
    const { scratch, says, report } = await talk({ files: { [path]: before ?? '' } });
    await says('one');
    await scratch.home.write(path, after ?? '');
    await says('two');
    expect((await report()).breaks).toMatchObject([{ cause: 'file', author: 'TOOLS.md', isInput: true }]);
  });

  it.each([
    ['static', /declares itself static/],
    [undefined, /does not say how often/],
    ['run', /weaves its words into a file/],
  ] as const)('is needless when a handler with stability %s changes the stable part', async (stability, next) => {
    let turn = 0;
    const { scratch, says, report } = await talk();
    const register = scratch.hooks.register.bind(scratch.hooks) as (registration: object) => void;
    register({
      hook: 'agent:bootstrap',
      owner: 'packs',
      id: 'counts',
      stability,
      handler: ({ context }: { context: { bootstrapFiles: { content?: string }[] } }) => {
        const [file] = context.bootstrapFiles;
        if (file?.content) file.content = file.content.replace('Be brief.', `Be brief ${++turn} times.`);
      },
    });
    for (const text of ['one', 'two', 'three']) await says(text);
    const { breaks, prefix } = await report();
    expect(breaks).toHaveLength(2);
    for (const each of breaks) {
      expect(each).toMatchObject({ cause: 'handler', author: 'handler counts', isInput: false, times: 2 });
      expect(each.next).toMatch(next);
    }
    expect(prefix.share).toBeLessThan(1);
  });

  it.each([
    [false, true, undefined],
    [true, false, /set to inline/],
  ])('is the hour’s: with time-context inline %s it is an input: %s', async (inline, isInput, next) => {
    const config = {
      agents: { defaults: { model: 'fake/small' } },
      bootstrap: { hooks: { 'time-context': { enabled: true, inline } } },
    };
    const { says, report, wait } = await talk({ config });
    await says('noon');
    wait(10.5 * 3_600_000);
    await says('night');
    const [found] = (await report()).breaks;
    expect(found).toMatchObject({ cause: 'handler', author: 'handler time-context', isInput });
    if (next) expect(found?.next).toMatch(next);
    else expect(found?.next).toBeUndefined();
  });

  it('names a plugin that writes other words into the system prompt', async () => {
    let turn = 0;
    const register = (hooks: ScratchGateway['hooks']) =>
      on(hooks, 'before_prompt_build', 'framer', () => ({ appendSystemContext: `Turn ${++turn}.` }));
    const { says, report } = await talk({ register });
    await says('one');
    await says('two');
    expect((await report()).breaks).toMatchObject([
      { cause: 'plugin', author: 'plugin framer, before_prompt_build', isInput: false },
    ]);
  });

  it('names the tool that was added', async () => {
    const tools = [toolForTest('alpha', async () => ({ content: '' }))];
    const { scratch, says, report } = await talk({ tools });
    await says('one');
    tools.push(toolForTest('beta', async () => ({ content: '' }), { owner: 'garden' }));
    await scratch.stop();
    await scratch.start();
    await says('two');
    expect((await report()).breaks).toMatchObject([
      { cause: 'tool', author: 'tool beta of garden added', isInput: true, where: expect.stringMatching(/^tools\[/) },
    ]);
  });

  it('names the model when another one has to step in, and what its cache is not used for', async () => {
    const config = { agents: { defaults: { model: { primary: 'fake/small', fallbacks: ['fake/large'] } } } };
    const { scratch, says, report } = await talk({ config });
    await says('one');
    scratch.model.script(({ json }) => (json.model === 'small' ? fail(400) : reply('Instead.')));
    await says('two');
    const { breaks } = await report();
    expect(breaks).toMatchObject([
      { cause: 'model', where: 'model', author: 'model fake/small -> fake/large', isInput: true, with: null },
    ]);
    expect(breaks[0]?.lostTokens).toBeGreaterThan(0);
  });
});

describe('the first request of a session', () => {
  it('is compared with another session of the agent, up to the cache boundary', async () => {
    const { scratch, says, report } = await talk({ files: { 'workspace/MEMORY.md': 'Ann likes tea.\n' } });
    await says('one');
    const runId = await says('hello', { sender: 'bob' });
    const { calls, breaks } = await report({ runId });
    expect(calls).toMatchObject([{ with: { kind: 'agent' }, break: null }]);
    expect(breaks).toEqual([]);
    await scratch.home.write('workspace/MEMORY.md', 'Ann likes milk.\n');
    const later = await says('hello', { sender: 'carl' });
    expect((await report({ runId: later })).breaks).toMatchObject([{ cause: 'file', author: 'MEMORY.md', line: 1 }]);
  });

  it('has nothing to share with when it is of another kind', async () => {
    const { says, report } = await talk();
    await says('one');
    const runId = await says('hello', { sender: 'ann', group: 'g' });
    const { calls, requests, prefix } = await report({ runId });
    expect(calls).toMatchObject([{ with: null, sharedBytes: 0, shareableBytes: 0 }]);
    expect(requests.first).toBe(1);
    expect(prefix.share).toBeNull();
  });
});

describe('what was read from caches', () => {
  it('is summed up, with what it saved where prices are known', async () => {
    const provider = { models: [{ id: 'small', cost: COST }, { id: 'large' }] };
    const { scratch, says, report } = await talk({ provider, protocol: 'anthropic-messages' });
    const usage = { input: 1_000_000, cacheRead: 600_000, cacheWrite: 100_000 };
    scratch.model.script(() => reply('Well.', { usage }));
    await says('one');
    const { tokens, saved, unpriced } = await report();
    expect(tokens).toEqual({ ...usage, uncached: 300_000 });
    // 600,000 tokens for 1 instead of 10, and 100,000 for 12 instead of 10.
    expect(saved).toBeCloseTo(5.4 - 0.2);
    expect(unpriced).toBe(0);
  });

  it('has an unknown worth where no prices are known, and so has what was lost', async () => {
    const { scratch, says, report } = await talk();
    await says('one');
    await scratch.home.write('workspace/AGENTS.md', 'Other.\n');
    await says('two');
    const { saved, unpriced, breaks } = await report();
    expect([saved, unpriced, breaks[0]?.lostCost]).toEqual([null, 2, null]);
  });
});

it('counts requests that are not kept any more', async () => {
  const { scratch, says, report } = await talk();
  const manifestOf = async (runId: string) =>
    (await scratch.store.select('captures', { where: { runId, call: 1 } }))[0]?.manifest ?? [];
  const first = await manifestOf(await says('one'));
  const second = await manifestOf(await says('two'));
  const hash = first.find((each) => !second.includes(each)) ?? '';
  await scratch.store.commit([{ remove: 'parts', where: { hash } }], { site: 'prune' });
  const { requests, prefix } = await report();
  expect(requests).toMatchObject({ sent: 2, gone: 1, first: 1 });
  expect(prefix.share).toBeNull();
});

it('can be asked for a time, an agent or a session', async () => {
  const { says, report } = await talk();
  await says('one');
  await says('two', { sender: 'bob' });
  const sent = async (query: CacheQuery) => (await report(query)).requests.sent;
  expect(await sent({})).toBe(2);
  expect(await sent({ since: NOON + 90_000 })).toBe(1);
  expect(await sent({ sessionKey: 'agent:main:test:direct:bob' })).toBe(1);
  expect(await sent({ agentId: 'ops' })).toBe(0);
});
