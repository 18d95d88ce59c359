// A prompt begins with the bytes of the one before it, so that a provider's cache is used, unless an input has changed; and
// whoever changed it is named. Shown with a day of two agents: the hours pass, a file is edited, a skill is added, children
// work, a conversation outgrows its window. The provider caches beginnings as real ones do.

import { describe, expect, it } from 'vitest';
import { untilQuiet } from '../chaos/recorded-talks.ts';
import { reportCache } from '../src/gateway/services/cache/report-cache.ts';
import { MODEL_PROTOCOLS } from '../src/protocol/model-protocol.ts';
import { listBreakpoints, readPromptPieces } from '../src/recorder/cache-prefix.ts';
import { gatewayForTest } from '../src/testkit/gateway-for-test.ts';
import { type ModelReply, type RecordedRequest, reply, toolCalls } from '../src/testkit/model-server.ts';

const MORNING = Date.parse('2026-05-06T05:00:00Z');
const MINUTE_MS = 60_000;

const PLACES = [
  { sender: 'ann' },
  { sender: 'ann', sessionKey: 'agent:ops:main' },
  { sender: 'ann' },
  { sender: 'bob' },
  { sender: 'ann', group: 'g1' },
  { sender: 'ann' },
  { sender: 'ann', sessionKey: 'agent:ops:cron:look:run:1' },
] as const;

describe.each(MODEL_PROTOCOLS)('a day with %s', (protocol) => {
  it('shares nearly everything that it could, and every break has an author', async () => {
    let clock = MORNING;
    const scratch = await gatewayForTest({
      protocol,
      now: () => clock++,
      files: {
        'workspace/AGENTS.md': `# Rules\n\nBe brief.\nBe kind.\n${'One more rule.\n'.repeat(40)}`,
        'workspace/USER.md': 'Ann.\n',
        'workspace/MEMORY.md': 'Ann likes tea.\n',
        'workspace/skills/tea/SKILL.md': '---\nname: tea\ndescription: makes tea\n---\n',
        'workspace-ops/AGENTS.md': '# Ops\n\nNever deploy on Fridays.\n',
      },
      provider: {
        models: [
          { id: 'small', contextWindow: 8_000, cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } },
        ],
      },
      config: {
        agents: { defaults: { model: 'fake/small' }, list: [{ id: 'main', default: true }, { id: 'ops' }] },
        bootstrap: { hooks: { 'time-context': { enabled: true } } },
      },
    });
    const provider = new CachingProvider();
    scratch.model.script((request) => provider.answer(request));
    for (let said = 1; (await scratch.store.count('runs')) < 100; said++) {
      clock += 11 * MINUTE_MS;
      if (said === 30)
        await scratch.home.write(
          'workspace/AGENTS.md',
          `# Rules\n\nBe brief.\nBe very kind.\n${'One more rule.\n'.repeat(40)}`,
        );
      if (said === 50)
        await scratch.home.write('workspace/skills/cake/SKILL.md', '---\nname: cake\ndescription: bakes\n---\n');
      const { sessionKey, ...place } = { sessionKey: undefined, ...PLACES[said % PLACES.length] };
      const wish = said % 9 === 0 ? 'spawn' : said % 4 === 0 ? 'look' : 'plain';
      await scratch.channel.says(place, `${wish} ${said} ${'word '.repeat(60)}`, sessionKey && { sessionKey });
      await untilQuiet(scratch);
    }
    const report = await reportCache(scratch.store, {}, scratch.services.models.pricesOf);
    const { prefix, breaks, breakCount, tokens, saved, requests } = report;
    expect(prefix.share).toBeGreaterThanOrEqual(0.95);
    expect(requests).toMatchObject({ runs: 100, gone: 0 });
    expect(breaks).toHaveLength(breakCount);
    // Nothing but what was done to the agents on that day, each under its own name.
    expect(new Set(breaks.map(({ author, line }) => (line === undefined ? author : `${author}:${line}`)))).toEqual(
      new Set(['AGENTS.md:4', 'skills/cake/SKILL.md', 'handler time-context', 'compaction']),
    );
    expect(breaks.filter(({ isInput }) => !isInput)).toEqual([]);
    // Each session meets an edit once.
    expect(breaks.filter(({ author }) => author === 'AGENTS.md').length).toBeLessThanOrEqual(PLACES.length);
    // What the provider read agrees: nearly everything that was sent before.
    expect(tokens.cacheRead).toBe(provider.read);
    expect(tokens.cacheRead / tokens.input).toBeGreaterThan(0.85);
    expect(saved).toBeGreaterThan(0);
    // The day had what it should have.
    expect(await scratch.store.count('children')).toBeGreaterThan(5);
    expect(await scratch.store.count('transcript', { kind: 'compaction' })).toBeGreaterThan(0);
  });
});

/** A provider that never reads a beginning twice: it knows the end of every piece that it has read. */
class CachingProvider {
  readonly #known = new Set<string>();
  /** How many tokens it has read from its cache. */
  read = 0;

  answer(request: RecordedRequest): ModelReply {
    const pieces = readPromptPieces(request.body);
    const ends = listBreakpoints(pieces.map((piece) => ({ ...piece, mark: true })));
    const read = ends.findLast(({ prefixDigest }) => this.#known.has(prefixDigest))?.prefixBytes ?? 0;
    for (const { prefixDigest } of ends) this.#known.add(prefixDigest);
    const input = Math.ceil((ends.at(-1)?.prefixBytes ?? 0) / 4);
    const cacheRead = Math.floor(read / 4);
    this.read += cacheRead;
    const cacheWrite = request.protocol === 'anthropic' ? input - cacheRead : 0;
    return { ...saidTo(request), usage: { input, output: 20, cacheRead, cacheWrite } };
  }
}

function saidTo(request: RecordedRequest): ModelReply {
  if (!('tools' in request.json)) return reply('They talked about words.');
  const { messages, input, contents } = request.json;
  const said = JSON.stringify(messages ?? input ?? contents ?? []);
  const [, wish = 'plain', number = '0'] = [...said.matchAll(/(plain|look|spawn) (\d+) /g)].at(-1) ?? [];
  if (request.body.slice(-2_000).includes('[Subagent Task]')) return reply('The work is done.');
  const isAnswered = /"tool_call_id"|"tool_result"|"function_call_output"|"functionResponse"/.test(
    said.slice(said.lastIndexOf(`${wish} ${number} `)),
  );
  if (isAnswered || wish === 'plain') return reply(`Noted ${number}.`);
  return wish === 'look'
    ? toolCalls([{ name: 'read', params: { path: 'USER.md' } }], 'Let me see.')
    : toolCalls([{ name: 'sessions_spawn', params: { task: `Work on ${number}.` } }]);
}
