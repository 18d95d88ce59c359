import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DueClock } from '../../store/due-clock.ts';
import { StoreFullError } from '../../store/errors.ts';
import type { NewRow, Store } from '../../store/store.ts';
import { storeForEachTest } from '../../testkit/for-each-test.ts';
import { answerApproval } from './answer-approval.ts';
import { type ApprovalClockParts, createApprovalClock } from './approval-clock.ts';

let store: Store;
let now: number;
let warnings: string[];
let clocks: DueClock<string>[];
const scratch = storeForEachTest();
beforeEach(async () => {
  ({ store } = scratch);
  now = 1_000;
  warnings = [];
  clocks = [];
});
afterEach(async () => {
  for (const clock of clocks) await clock.close();
});

describe('the clock of approvals', () => {
  it('answers at the start what is overdue, and leaves the rest alone', async () => {
    await ask('over', 999);
    await ask('just-over', 1_000);
    await ask('later', 60_000);
    await clock().open();
    expect(await decisions()).toEqual({ over: 'timeout', 'just-over': 'timeout', later: null });
  });

  it('answers one that is asked for later, when it is due', async () => {
    now = Date.now();
    const watching = clock({ now: Date.now });
    await watching.open();
    await ask('short', now + 30);
    await watching.look();
    await vi.waitFor(async () => expect(await decisions()).toEqual({ short: 'timeout' }), { timeout: 5_000 });
  });

  it('sets no timer while nothing waits, and none that a timer cannot hold', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    try {
      const watching = clock();
      await watching.open();
      const mine = () => timers.mock.calls.map(([, ms]) => ms).filter((ms) => (ms ?? 0) > 1_000_000);
      expect(mine()).toEqual([]);
      await ask('next year', now + 365 * 86_400_000);
      await watching.look();
      expect(mine()).toEqual([2 ** 31 - 1]);
    } finally {
      timers.mockRestore();
    }
  });

  it('answers more than it takes at a time', async () => {
    for (let index = 0; index < 120; index++) await ask(`over-${index}`, index);
    await clock().open();
    expect(await store.count('approvals', { status: 'waiting' })).toBe(0);
  });

  it('tries again when the store refuses, and says so once', async () => {
    await ask('over', 999);
    let refusals = 3;
    await clock({
      expire: async (id) => {
        if (refusals-- > 0) throw new StoreFullError({ store: 'test' });
        return expire(id);
      },
    }).open();
    await vi.waitFor(async () => expect(await decisions()).toEqual({ over: 'timeout' }), { timeout: 5_000 });
    expect(warnings).toHaveLength(1);
  });

  it('minds nobody who was quicker', async () => {
    await ask('over', 999);
    await ask('also over', 999);
    await clock({
      expire: async (id) => {
        await answerApproval(store, { id, decision: 'deny', by: 'web', now });
        return expire(id);
      },
    }).open();
    expect(await decisions()).toEqual({ over: 'deny', 'also over': 'deny' });
    expect(warnings).toEqual([]);
  });
});

function clock(changes: Partial<ApprovalClockParts> = {}): DueClock<string> {
  const made = createApprovalClock({
    store,
    expire,
    now: () => now,
    warn: (sentence) => warnings.push(sentence),
    firstPauseMs: 1,
    ...changes,
  });
  clocks.push(made);
  return made;
}

function expire(id: string): Promise<unknown> {
  return answerApproval(store, { id, decision: 'timeout', by: 'time', now });
}

async function decisions(): Promise<Record<string, string | null>> {
  const rows = await store.select('approvals');
  return Object.fromEntries(rows.map(({ id, decision }) => [id, decision]));
}

async function ask(id: string, expiresAt: number): Promise<void> {
  const row: NewRow<'approvals'> = {
    id,
    runId: `run of ${id}`,
    sessionKey: 'agent:main:main',
    agentId: 'main',
    toolCallId: 'call_1',
    toolName: 'exec',
    params: {},
    digest: 'digest',
    requester: {},
    policyVersion: 'p1',
    contextHash: 'hash',
    askedBy: 'exec',
    title: 'Run it',
    description: 'make',
    severity: 'warning',
    allowedDecisions: ['allow-once', 'deny'],
    rule: null,
    createdAt: 0,
    expiresAt,
    timeoutBehavior: 'deny',
    status: 'waiting',
    decision: null,
    decidedAt: null,
    decidedBy: null,
  };
  await store.commit([{ insert: 'approvals', row }], { site: 'suspend' });
}
