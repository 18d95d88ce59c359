import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { DUTY_LOST } from './cluster.ts';
import { DutyShares } from './duty-shares.ts';

const ME = 'a#1';

/** Shares in one duty, with the rows in memory. */
function newShares() {
  const rows = new Map<string, string>();
  const begun: AbortSignal[] = [];
  const shares = new DutyShares({
    take: async (memberId, name) => {
      if (rows.has(name)) return false;
      rows.set(name, memberId);
      return true;
    },
    giveUp: async (_, name) => void rows.delete(name),
    warn: () => {},
  });
  const leave = shares.add('work', async (signal) => {
    begun.push(signal);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  });
  const look = async () => {
    const lookedAt = performance.now();
    shares.compare({ holders: rows, memberId: ME, lookedAt, mayTake: true, planned: new Map(), surplus: undefined });
    await nextTurn();
  };
  return { rows, begun, shares, leave, look };
}

it('a duty whose row is still there is begun again after every silence of the database', async () => {
  const { begun, shares, leave, look } = newShares();
  await look();
  for (let silences = 1; silences <= 3; silences++) {
    shares.abortAll();
    await nextTurn();
    expect(begun.map(({ aborted }) => aborted)).toEqual(Array(silences).fill(true));
    await look();
    expect(begun).toHaveLength(silences + 1);
  }
  expect(begun.at(-1)?.aborted).toBe(false);
  await leave();
});

it('says whether a duty was lost or given up', async () => {
  const { rows, begun, shares, leave, look } = newShares();
  await look();
  shares.abortAll();
  await nextTurn();
  await look();
  await leave();
  expect(begun.map(({ reason }) => reason === DUTY_LOST)).toEqual([true, false]);
  expect(rows.size).toBe(0);
});
