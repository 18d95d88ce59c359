import { describe, expect, it } from 'vitest';
import { formatStatus, type StatusFacts } from './status.ts';

const NOW = Date.parse('2026-05-06T10:00:00Z');
const MINUTE = 60_000;

const FRESH: StatusFacts = {
  version: '0.1.0',
  now: NOW,
  agentId: 'main',
  model: 'mirror/mirror',
  sessionKey: 'agent:main:main',
  waiting: 0,
};

const cut = (file: string, lines: readonly [number, number]) =>
  ({ file, stability: 'static', path: file, lines, chars: 9, tokens: 3, cause: 'per-file-limit', text: '' }) as const;

describe('/status', () => {
  it('says little of a session in which nothing was said', () => {
    expect(formatStatus(FRESH)).toBe(`Atrium 0.1.0
Agent: main
Model: mirror/mirror
Session: agent:main:main, nothing said yet
Running: nothing
Last run: none yet`);
  });

  it('says how things stand in the middle of a talk', () => {
    const facts: StatusFacts = {
      ...FRESH,
      model: 'anthropic/claude-sonnet',
      fallbacks: ['openai/gpt'],
      session: { startedAt: NOW - 125 * MINUTE, messages: 14 },
      running: { runId: 'run_2', startedAt: NOW - 12_000 },
      waiting: 2,
      lastRun: {
        status: 'done',
        endedAt: NOW - 3 * MINUTE,
        model: 'openai/gpt',
        usage: { input: 12_345, output: 456, cacheRead: 10_000, cacheWrite: 0 },
        modelCalls: 2,
        toolCalls: 1,
      },
      report: {
        prompt: { chars: 12_000, tokens: 3_100, hash: '', stable: { chars: 9_000, tokens: 2_300, hash: '' } },
        cuts: [cut('AGENTS.md', [120, 180]), cut('TOOLS.md', [4, 4]), cut('A', [1, 2]), cut('B', [1, 2])],
      },
      delivery: 'once, by receipt',
    };
    expect(formatStatus(facts)).toBe(`Atrium 0.1.0
Agent: main
Model: anthropic/claude-sonnet; then openai/gpt
Session: agent:main:main, 2 h 5 min old, 14 messages
Running: run_2, for 12 s; 2 messages waiting
Last run: done 3 min ago; by openai/gpt; 2 model calls; 1 tool call; 12,345 tokens in (10,000 from the cache), 456 out
Context: 12,000 characters, about 3,100 tokens; the first 9,000 can be cached
Cuts: AGENTS.md lines 120-180, TOOLS.md line 4, A lines 1-2 and 1 more did not fit; see /context detail
Delivery: once, by receipt`);
  });

  it('says what was used, what is unknown about it, and how the talk was made shorter', () => {
    const used = { calls: 2, input: 1_200, output: 30, cacheRead: 0, cacheWrite: 0 };
    const text = formatStatus({
      ...FRESH,
      spent: {
        session: { ...used, cost: 0.0125, unpriced: 0 },
        withSubagents: { ...used, cost: 0.5, unpriced: 0 },
        today: { ...used, cost: null, unpriced: 2 },
      },
      compaction: {
        at: NOW - 5 * MINUTE,
        why: 'size',
        by: 'fake/small',
        summarisedTo: 9,
        prunedTo: 9,
        contributionsTo: 9,
        pruned: ['tool-results'],
        tokensBefore: 90_000,
        tokensAfter: 20_000,
        pins: { added: ['The door\ncode'], lost: ['AGENTS.md#Gone (AGENTS.md has no such section)'] },
      },
    });
    expect(text).toContain(
      'Usage: this session 1,200 tokens in, 30 out, cost 0.0125; with its subagents 1,200 tokens in, 30 out, cost 0.5000; main today 1,200 tokens in, 30 out, cost unknown',
    );
    expect(text).toContain(
      'Shortened: 5 min ago. The conversation was shortened from about 90,000 to 20,000 tokens: older messages became a summary, written by fake/small. Said again because they are pinned: "The door code". Pinned, and could not be kept: "AGENTS.md#Gone (AGENTS.md has no such section)".',
    );
  });

  it('tells a failure in its own words, on one line and without control characters', () => {
    const lastRun = { status: 'failed', endedAt: NOW, error: 'no answer\n\u001b[2Jfrom the model' } as const;
    const text = formatStatus({ ...FRESH, model: undefined, lastRun });
    expect(text).toContain('Model: none is configured');
    expect(text).toContain('Last run: failed 0 s ago; no answer from the model');
  });
});
