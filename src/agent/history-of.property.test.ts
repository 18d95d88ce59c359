// What must hold for every conversation and every compaction of it, checked with random ones. A failure prints its
// seed.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Message, toolCallsOf } from '../protocol/message.ts';
import type { TranscriptRow } from '../store/tables.ts';
import { forAll } from '../testkit/for-all.ts';
import { boundsOf } from './compaction/compaction-facts.ts';
import { type CompactionNeed, planCompaction } from './compaction/plan-compaction.ts';
import { historyOf, splitHistory, toldEntries } from './history-of.ts';

describe('a history', () => {
  it('never has a call without its results or a result without its call, wherever a compaction cuts', () => {
    forAll([conversation(), fc.nat(60), fc.nat(60)], (said, summarisedTo, prunedTo) => {
      const compaction = row(said.length + 1, { role: 'user', content: 'So far.' }, { summarisedTo, prunedTo });
      expectPairs(historyOf([...said, compaction]).map(({ message }) => message));
    });
  });

  it('is the same every time, and only grows at its end', () => {
    forAll([conversation(), need(), conversation()], (said, wanted, more) => {
      const entries = compacted(said, wanted) ?? said;
      const before = historyOf(entries);
      expect(historyOf(entries)).toEqual(before);
      const later = more.map((entry, index) => ({ ...entry, position: entries.length + index + 1 }));
      const begun: TranscriptRow[] = [row(entries.length + 1, { role: 'user', content: 'And then?' })];
      const after = historyOf([
        ...entries,
        ...begun,
        ...later.map((entry) => ({ ...entry, position: entry.position + 1 })),
      ]);
      expect(after.slice(0, before.length)).toEqual(before);
    });
  });

  it('is no other for a run that takes up its own part of it', () => {
    forAll([conversation(), need(), fc.nat(40)], (said, wanted, from) => {
      const marked = said.map((entry) => (entry.position > from ? { ...entry, runId: 'run_own' } : entry));
      const entries = compacted(marked, wanted) ?? marked;
      const { past, own } = splitHistory(entries, 'run_own');
      const answered = [...past, ...own].filter(({ meta }) => meta.unanswered !== true);
      expect(answered).toEqual(toldEntries(entries));
    });
  });
});

describe('a plan', () => {
  it('parts no call from its results, reaches never back, and leaves what is recent as it was said', () => {
    forAll([conversation(), need(), need()], (said, first, second) => {
      const once = compacted(said, first);
      const twice = once && compacted(once, second);
      for (const entries of [once, twice]) {
        if (!entries) continue;
        const compactions = entries.filter(({ kind }) => kind === 'compaction').map(boundsOf);
        const last = compactions.at(-1) ?? { summarisedTo: 0, prunedTo: 0 };
        for (const earlier of compactions) {
          expect(last.summarisedTo).toBeGreaterThanOrEqual(earlier.summarisedTo);
          expect(last.prunedTo).toBeGreaterThanOrEqual(earlier.prunedTo);
        }
        const messages = entries.filter(({ kind }) => kind === 'message');
        const kept = messages.filter(({ position }) => position > last.summarisedTo);
        expect(kept.length).toBeGreaterThan(0);
        expect(kept[0]?.message.role).not.toBe('tool');
        expect(messages.find(({ position }) => position === last.prunedTo + 1)?.message.role).not.toBe('tool');
        const recent = messages.filter(({ position }) => position > last.prunedTo).map(({ message }) => message);
        const told = toldEntries(entries).map(({ message }) => message);
        expect(told.slice(told.length - recent.length)).toEqual(recent);
      }
    });
  });

  it('summarises nothing from a position on that it must not touch', () => {
    forAll([conversation(), need(), fc.integer({ min: 1, max: 40 })], (said, wanted, before) => {
      const plan = planCompaction(said, undefined, { ...wanted, before });
      expect(plan?.summarised?.bounds.summarisedTo ?? 0).toBeLessThan(before);
    });
  });
});

/** Turns of a question, calls with results and an answer; an interrupted run may have left the last results out. */
function conversation(): fc.Arbitrary<readonly TranscriptRow[]> {
  const run = fc.record({
    asked: fc.integer({ min: 1, max: 400 }),
    rounds: fc.array(fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
    isCut: fc.boolean(),
  });
  return fc.array(run, { minLength: 1, maxLength: 6 }).map((turns) => {
    let ids = 0;
    const messages = turns.flatMap(({ asked, rounds, isCut }): Message[] => [
      { role: 'user', content: 'w'.repeat(asked) },
      ...rounds.flatMap((sizes, round): Message[] => {
        const calls = sizes.map((size) => ({ id: `call_${++ids}`, size }));
        const results = isCut && round === rounds.length - 1 ? calls.slice(1) : calls;
        return [
          { role: 'assistant', content: calls.map(({ id }) => ({ type: 'tool-call', id, name: 'dump', params: {} })) },
          ...results.map(
            ({ id, size }): Message => ({ role: 'tool', toolCallId: id, toolName: 'dump', content: 'r'.repeat(size) }),
          ),
        ];
      }),
      ...(isCut ? [] : [{ role: 'assistant', content: [{ type: 'text', text: 'Done.' }] } satisfies Message]),
    ]);
    return messages.map((message, index) => row(index + 1, message));
  });
}

function need(): fc.Arbitrary<CompactionNeed> {
  return fc.record({
    why: fc.constantFrom('size', 'refused', 'asked'),
    fixedTokens: fc.nat(1_000),
    limit: fc.integer({ min: 1, max: 3_000 }),
    keepRecentTokens: fc.nat(2_000),
    summaryTokens: fc.constant(200),
    scale: fc.constantFrom(0.5, 1, 2),
  });
}

/** The conversation with the row of such a plan; undefined when there is nothing to shorten. */
function compacted(said: readonly TranscriptRow[], wanted: CompactionNeed): readonly TranscriptRow[] | undefined {
  const earlier = said.findLast(({ kind }) => kind === 'compaction');
  const plan = planCompaction(toldEntries(said), earlier && boundsOf(earlier), wanted);
  const bounds = plan?.summarised?.bounds ?? plan?.pruned?.bounds;
  if (!bounds) return undefined;
  return [...said, row(said.length + 1, { role: 'user', content: 'So far.' }, { ...bounds })];
}

function row(position: number, message: Message, compaction?: TranscriptRow['meta']): TranscriptRow {
  const kind = compaction ? 'compaction' : 'message';
  return { sessionId: 's', runId: 'r', at: position, shown: null, position, kind, message, meta: compaction ?? {} };
}

function expectPairs(messages: readonly Message[]): void {
  const open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') expect(open.delete(message.toolCallId)).toBe(true);
    else expect(open.size).toBe(0);
    if (message.role === 'assistant') for (const { id } of toolCallsOf(message)) open.add(id);
  }
  expect(open.size).toBe(0);
}
