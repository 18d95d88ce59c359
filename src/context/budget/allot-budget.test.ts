import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../testkit/for-all.ts';
import { type AllotEntry, type AllotRequest, allotBudget } from './allot-budget.ts';

const file = (length: number, more: Partial<AllotEntry> = {}): AllotEntry => ({
  kind: 'file',
  length,
  cap: 12_000,
  required: 0,
  ...more,
});

function allotted(request: AllotRequest): readonly number[] {
  const result = allotBudget(request);
  if (!result.fits) throw new Error(`short by ${result.shortfall.overBy}`);
  return result.allotted;
}

describe('sharing a total', () => {
  it('gives every entry all that it can use when it suffices', () => {
    expect(allotted({ entries: [file(20_000), file(5)], total: 12_005 })).toEqual([12_000, 5]);
  });

  it('takes from the last first', () => {
    expect(allotted({ entries: [file(9000), file(9000)], total: 10_000 })).toEqual([9000, 1000]);
  });

  it('takes from the one that is declared last first', () => {
    expect(allotted({ entries: [file(9000), file(9000)], total: 10_000, priority: [1, 0] })).toEqual([1000, 9000]);
  });

  it('does not drop small files because a large one came first', () => {
    expect(allotted({ entries: [file(137), file(2), file(1)], total: 200 })).toEqual([137, 2, 1]);
    expect(allotted({ entries: [file(60_000, { cap: 60_000 }), file(300), file(40)], total: 60_000 })).toEqual([
      59_660, 300, 40,
    ]);
  });

  it('drops a file of which only a stump would be left, but not the marker of a missing one', () => {
    expect(allotted({ entries: [file(150), file(500)], total: 200 })).toEqual([150, 0]);
    expect(allotted({ entries: [file(150), file(500, { kind: 'missing' })], total: 200 })).toEqual([150, 50]);
  });

  it('tells what stood ready for a file that it dropped', () => {
    expect(allotBudget({ entries: [file(150), file(500)], total: 200 })).toMatchObject({ offered: [150, 50] });
  });

  it('gives what is required first, wherever it stands', () => {
    expect(allotted({ entries: [file(9000), file(9000, { required: 700 })], total: 1000 })).toEqual([300, 700]);
  });

  it('says by how much what is required exceeds an entry or the total', () => {
    expect(allotBudget({ entries: [file(9000, { cap: 500, required: 600 })], total: 1000 })).toEqual({
      fits: false,
      shortfall: { scope: 'entry', index: 0, needed: 600, available: 500, overBy: 100 },
    });
    const both = [file(9000, { required: 600 }), file(9000, { required: 600 })];
    expect(allotBudget({ entries: both, total: 1000 })).toEqual({
      fits: false,
      shortfall: { scope: 'total', index: 1, needed: 1200, available: 1000, overBy: 200 },
    });
  });
});

describe('for any entries, total and priority', () => {
  it('stays within the total and within what each can use', () => {
    forAll([requests()], 500, (request) => {
      const shares = allotted(request);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(request.total);
      shares.forEach((share, i) => {
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(most(request.entries[i]));
      });
    });
  });

  it('gives no entry less when there is more', () => {
    forAll([requests(), fc.integer({ min: 1, max: 200 })], 1000, (request, more) => {
      const before = allotted(request);
      const after = allotted({ ...request, total: request.total + more });
      after.forEach((share, i) => {
        expect(share).toBeGreaterThanOrEqual(before[i] ?? 0);
      });
    });
  });

  it('drops only from the end of the priority order, and never what is required', () => {
    forAll([requests()], 500, (request) => {
      const shares = allotted(request);
      const isDropped = (i: number) => shares[i] === 0;
      const free = request.priority.filter((i) => request.entries[i]?.required === 0).map(isDropped);
      expect(free.lastIndexOf(false) < (free.indexOf(true) === -1 ? free.length : free.indexOf(true))).toBe(true);
      request.entries.forEach((entry, i) => {
        expect(shares[i]).toBeGreaterThanOrEqual(entry.required);
      });
    });
  });

  it('leaves no stumps', () => {
    forAll([requests()], (request) => {
      const shares = allotted(request);
      request.entries.forEach((entry, i) => {
        if (entry.kind === 'missing' || entry.required > 0 || shares[i] === 0) return;
        expect(shares[i]).toBeGreaterThanOrEqual(Math.min(64, most(entry)));
      });
    });
  });

  it('keeps a small file whole for any size of those before it', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 20 });
    forAll([sizes, fc.integer({ min: 1, max: 64 })], (before, small) => {
      const entries = [...before.map((length) => file(length, { cap: length })), file(small)];
      const total = 2 * 64 * entries.length;
      expect(allotted({ entries, total }).at(-1)).toBe(small);
    });
  });

  it('keeps the first thousand characters of each where half of the total allows it', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 50_000 }), { minLength: 1, maxLength: 20 });
    forAll([sizes], (lengths) => {
      const shares = allotted({ entries: lengths.map((length) => file(length)), total: 2000 * lengths.length });
      lengths.forEach((length, i) => {
        expect(shares[i]).toBeGreaterThanOrEqual(Math.min(length, 1000));
      });
    });
  });

  it('uses the whole total unless a stump was dropped', () => {
    forAll([requests()], (request) => {
      const shares = allotted(request);
      const wished = request.entries.reduce((sum, entry) => sum + most(entry), 0);
      if (shares.includes(0)) return;
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(Math.min(wished, request.total));
    });
  });
});

function most(entry: AllotEntry | undefined): number {
  return Math.min(entry?.length ?? 0, entry?.cap ?? 0);
}

/** Requests whose required parts fit, over totals from hopeless to ample. */
function requests(): fc.Arbitrary<AllotRequest & { priority: readonly number[] }> {
  const entry = fc
    .record({
      kind: fc.constantFrom<AllotEntry['kind']>('file', 'file', 'missing'),
      length: fc.oneof(fc.integer({ min: 1, max: 130 }), fc.integer({ min: 1, max: 4000 })),
      cap: fc.oneof(fc.integer({ min: 1, max: 130 }), fc.integer({ min: 1, max: 3000 })),
      required: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(1500) }),
    })
    .map((drawn) => ({ ...drawn, required: drawn.kind === 'file' ? Math.min(drawn.required, most(drawn)) : 0 }));
  return fc.array(entry, { minLength: 1, maxLength: 10 }).chain((entries) => {
    const required = entries.reduce((sum, { required }) => sum + required, 0);
    const indices = entries.map((_, i) => i);
    return fc.record({
      entries: fc.constant(entries),
      total: fc.oneof(fc.nat(300), fc.nat(6000)).map((free) => required + free),
      priority: fc.shuffledSubarray(indices, { minLength: indices.length }),
    });
  });
}
