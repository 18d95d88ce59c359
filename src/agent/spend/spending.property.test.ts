// Any order of reservations, settlements, failures and crashes, on a real store: what is spent and reserved never passes
// the limit, except by what calls used beyond their reservation, and nothing stays reserved when all runs are over.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Model, WireRequest } from '../../models/model.ts';
import type { SpendSettings } from '../../protocol/spend-limit.ts';
import { CeilingPassedError } from '../../store/errors.ts';
import type { Store } from '../../store/store.ts';
import { ScratchStore } from '../../testkit/scratch-store.ts';
import { SpendLimitError } from '../errors.ts';
import { reserveCall, type SpendParts } from './reserve-call.ts';
import { planCutCall, RunSpending } from './run-spending.ts';
import { settleCall } from './settle-call.ts';

const LIMIT = 10_000;
const SETTINGS: SpendSettings = {
  limits: [
    { setting: 'limits.spend[0]', per: 'day', tokens: LIMIT, warnAt: 1, unknownPrice: 'refuse' },
    { setting: 'limits.spend[1]', agent: '*', per: 'month', tokens: LIMIT * 0.7, warnAt: 1, unknownPrice: 'refuse' },
  ],
  answerTokens: 500,
  timezone: 'UTC',
};

/** A run of the property: what it holds in memory is lost in a crash. */
interface TriedRun {
  readonly runId: string;
  spending: RunSpending;
  wire: WireRequest | undefined;
}

type Step =
  | { readonly kind: 'reserve'; readonly runs: readonly number[]; readonly chars: number; readonly most: number }
  | { readonly kind: 'settle'; readonly run: number; readonly input: number; readonly output: number }
  | { readonly kind: 'fail' | 'crash' | 'end' | 'give-up'; readonly run: number };

const run = fc.nat(5);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('reserve' as const),
      runs: fc.uniqueArray(run, { minLength: 1, maxLength: 6 }),
      chars: fc.nat(4_000),
      most: fc.integer({ min: 1, max: 3_000 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('settle' as const), run, input: fc.nat(3_000), output: fc.nat(3_000) }),
  },
  fc.record({ kind: fc.constantFrom('fail' as const, 'crash' as const, 'end' as const, 'give-up' as const), run }),
);

it('never passes a limit by more than calls used beyond what was reserved for them', { timeout: 120_000 }, async () => {
  const opened = await ScratchStore.create();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { store } = opened;
      for (const table of ['spending', 'reservations'] as const)
        await store.commit([{ remove: table, where: {} }], { site: 'prune' });
      const runs = Array.from({ length: 6 }, (_, index) => newRun(store, index));
      const beyond = { amount: 0 };
      for (const each of steps) {
        await take(store, runs, each, beyond);
        for (const row of await store.select('spending')) {
          const limit = row.per === 'day' ? LIMIT : LIMIT * 0.7;
          expect(row.reservedTokens).toBeGreaterThanOrEqual(0);
          expect(row.tokens + row.reservedTokens).toBeLessThanOrEqual(limit + beyond.amount);
        }
        await expectReservedIsHeld(store);
      }
      for (const { spending } of runs) await store.commit(spending.close(), { site: 'result' });
      expect(await store.count('reservations')).toBe(0);
      for (const row of await store.select('spending')) expect(row.reservedTokens).toBe(0);
    }),
    { numRuns: 60 },
  );
  await opened.remove();
});

async function take(store: Store, runs: TriedRun[], step: Step, beyond: { amount: number }): Promise<void> {
  if (step.kind === 'reserve') {
    // All of them at the same time.
    await Promise.all(step.runs.map((index) => reserve(store, runs[index] as TriedRun, step)));
    return;
  }
  const one = runs[step.run] as TriedRun;
  if (step.kind === 'crash') {
    const [cut] = await store.select('reservations', { where: { runId: one.runId }, limit: 1 });
    one.spending = spendingOf(store, step.run, cut);
  } else if (step.kind === 'give-up') {
    await store.commit(await planCutCall(store, one.runId), { site: 'dead-letter' });
    one.spending = spendingOf(store, step.run);
  } else if (step.kind === 'end') {
    await store.commit(one.spending.close(), { site: 'result' });
  } else {
    const writes: Parameters<Store['commit']>[0][number][] = [];
    const ledger = { attach: (write: (typeof writes)[number]) => void writes.push(write) } as never;
    const used = step.kind === 'settle' ? step.input + step.output : 0;
    const end =
      step.kind === 'settle'
        ? { stop: 'stop' as const, usage: { input: step.input, output: step.output, cacheRead: 0, cacheWrite: 0 } }
        : { stop: 'error' as const, usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };
    const reserved = one.spending.held?.tokens;
    if (reserved === undefined || (used === 0 && step.kind === 'settle')) return;
    beyond.amount += Math.max(0, used - reserved);
    settleCall({ spending: one.spending, ledger }, { model: MODEL, wire: one.wire ?? wireOf(1), end, heard: '' });
    await store.commit(writes, { site: 'result' });
  }
}

async function reserve(
  store: Store,
  one: TriedRun,
  { chars, most }: Extract<Step, { kind: 'reserve' }>,
): Promise<void> {
  const model = { ...MODEL, prepare: async () => wireOf(chars) };
  const request = { system: [], tools: [], messages: [], maxOutputTokens: most };
  const identity = { runId: one.runId, sessionKey: 'agent:main:main', agentId: 'main', spending: one.spending };
  try {
    const { wire } = await reserveCall(partsOf(store), identity, { model, request }, async ({ writes }) => {
      await store.commit(writes, { site: 'request' });
    });
    one.wire = wire;
  } catch (error) {
    if (!(error instanceof SpendLimitError) && !(error instanceof CeilingPassedError)) throw error;
  }
}

/** The counters hold exactly what the reservations say. */
async function expectReservedIsHeld(store: Store): Promise<void> {
  const held = await store.select('reservations');
  for (const row of await store.select('spending')) {
    const own = held.filter(({ counters }) =>
      counters.some(({ subject, per }) => subject === row.subject && per === row.per),
    );
    expect(own.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(row.reservedTokens);
  }
}

function newRun(store: Store, index: number): TriedRun {
  return { runId: `run-${index}`, spending: spendingOf(store, index), wire: undefined };
}

function spendingOf(store: Store, index: number, cut?: ConstructorParameters<typeof RunSpending>[2]): RunSpending {
  const surface = { channel: 'test', accountId: 'default', peer: { kind: 'direct' as const, id: 'ann' } };
  const inbound = { surface, sender: { id: 'ann' }, text: '', at: 0 };
  const about = {
    agentId: index % 2 === 0 ? 'even' : 'odd',
    sessionKey: 'agent:main:main',
    session: { sessionId: 's', startedAt: 0 },
    inbound,
  };
  return new RunSpending(store, about, cut);
}

const NOW = Date.parse('2026-05-06T10:00:00Z');

function partsOf(store: Store): SpendParts {
  return {
    store,
    spend: () => SETTINGS,
    now: () => NOW,
    tell: async () => [],
    warn: () => {},
    models: {
      candidates: () => [],
      wished: () => [],
      checkWished: () => {},
      refusedAnew: () => [],
      model: () => Promise.reject(new Error('no model is looked up')),
    },
  };
}

function wireOf(chars: number): WireRequest {
  return { url: '', headers: {}, body: 'a b '.repeat(chars / 4) };
}

const MODEL: Model = {
  provider: 'fake',
  model: 'small',
  api: 'openai-completions',
  takesImages: false,
  checkWishes: () => {},
  prepare: async () => wireOf(1),
  // biome-ignore lint/correctness/useYield: no call is made here.
  stream: async function* () {
    throw new Error('no call is made');
  },
};
