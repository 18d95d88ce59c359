import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../testkit/for-all.ts';
import { KeptSectionsOverBudgetError, KeptSectionsOverTokenBudgetError } from '../errors.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { type BudgetEntry, type BudgetLimits, fitBudget } from './fit-budget.ts';
import { keptLength, trimFile } from './trim-file.ts';

const limits: BudgetLimits = { maxChars: 12_000, totalMaxChars: 60_000 };
const present = (name: string, text: string, more: object = {}): BudgetEntry => ({
  name,
  path: `/ws/${name}`,
  text,
  ...more,
});
const missing = (name: string): BudgetEntry => ({ name, path: `/ws/${name}`, missing: true });

describe('files that fit', () => {
  it('are injected whole, without trailing blanks, and nothing is said', () => {
    expect(fitBudget([present('SOUL.md', 'hello\n\n')], limits)).toEqual({
      entries: [
        {
          name: 'SOUL.md',
          path: '/ws/SOUL.md',
          status: 'present',
          pieces: [{ kind: 'kept', start: 0, end: 5 }],
          cuts: [],
          text: 'hello',
          rawChars: 5,
          injectedChars: 5,
          dropped: false,
          truncated: false,
          causes: [],
        },
      ],
      warnings: [],
    });
  });

  it('are empty without being dropped when they hold only blanks', () => {
    const { entries, warnings } = fitBudget([present('SOUL.md', ' \n')], limits);
    expect(entries[0]).toMatchObject({ status: 'empty', text: '', dropped: false, truncated: false });
    expect(warnings).toEqual([]);
  });

  it('leave a marker when they are missing', () => {
    expect(fitBudget([missing('USER.md')], limits).entries[0]).toMatchObject({
      status: 'missing',
      text: '[MISSING] Expected at: /ws/USER.md',
      pieces: [{ kind: 'marker', text: '[MISSING] Expected at: /ws/USER.md' }],
      rawChars: 0,
      truncated: false,
    });
  });
});

describe('files that do not fit', () => {
  it('are trimmed to the limit of a file', () => {
    const { entries, warnings } = fitBudget([present('SOUL.md', 'x'.repeat(20_000))], limits);
    expect(entries[0]).toMatchObject({ injectedChars: 11_999, truncated: true, causes: ['per-file-limit'] });
    expect(warnings).toEqual([
      'workspace bootstrap file SOUL.md is 20000 chars (limit 12000); truncating in injected context',
    ]);
  });

  it('are trimmed to what the total leaves', () => {
    const files = [present('SOUL.md', 'x'.repeat(9000)), present('USER.md', 'x'.repeat(9000))];
    const { entries, warnings } = fitBudget(files, { ...limits, totalMaxChars: 10_000 });
    expect(entries.map((entry) => entry.injectedChars)).toEqual([9000, 999]);
    expect(entries.map((entry) => entry.causes)).toEqual([[], ['total-limit']]);
    expect(warnings).toEqual([
      'workspace bootstrap file USER.md is 9000 chars (limit 1000); truncating in injected context',
    ]);
  });

  it('leave to the next file what their own trimming did not use', () => {
    const files = [present('SOUL.md', 'x'.repeat(20_000)), present('USER.md', 'x'.repeat(20_000))];
    const { warnings } = fitBudget(files, { ...limits, totalMaxChars: 15_000 });
    expect(warnings[1]).toBe(
      'workspace bootstrap file USER.md is 20000 chars (limit 3001); truncating in injected context',
    );
  });

  it('are dropped when only a stump is left, with the reason', () => {
    const files = [present('SOUL.md', 'x'.repeat(150)), present('USER.md', 'y'.repeat(500))];
    const { entries, warnings } = fitBudget(files, { ...limits, totalMaxChars: 200 });
    expect(entries[1]).toMatchObject({
      dropped: true,
      truncated: true,
      text: '',
      cuts: [{ start: 0, end: 500 }],
      causes: ['total-limit'],
    });
    expect(warnings).toEqual(['remaining bootstrap budget is 50 chars (<64); skipping additional bootstrap files']);
  });

  it('give way in the declared order', () => {
    const files = [present('SOUL.md', 'x'.repeat(9000)), present('USER.md', 'y'.repeat(9000), { priority: 0 })];
    const { entries } = fitBudget(files, { ...limits, totalMaxChars: 10_000 });
    expect(entries.map((entry) => entry.truncated)).toEqual([true, false]);
  });

  it('do not push out a small file behind them', () => {
    const files = [present('SOUL.md', 'x'.repeat(200)), present('USER.md', 'y')];
    expect(fitBudget(files, { ...limits, totalMaxChars: 200 }).entries[1]?.text).toBe('y');
  });

  it('shorten the marker of a missing file, whole characters only', () => {
    const entry: BudgetEntry = { name: 'A.md', path: '$WS/😀😀😀😀😀😀', missing: true };
    expect(fitBudget([entry], { maxChars: 100, totalMaxChars: 32 }).entries[0]?.text).toBe(
      '[MISSING] Expected at: $WS/😀😀…',
    );
    expect(fitBudget([entry], { maxChars: 100, totalMaxChars: 3 }).entries[0]?.text).toBe('[MI');
  });
});

describe('a token limit', () => {
  const files = [
    present('SOUL.md', 'some words of prose '.repeat(400)),
    present('USER.md', 'some words of prose '.repeat(400)),
  ];

  it('changes nothing where it is not reached', () => {
    expect(fitBudget(files, { ...limits, maxTokens: 100_000 })).toEqual(fitBudget(files, limits));
  });

  it('cuts until the estimate fits, the last file first, and names itself as the cause', () => {
    const { entries } = fitBudget(files, { ...limits, maxTokens: 2500 });
    expect(tokensOf(entries)).toBeLessThanOrEqual(2500);
    expect(tokensOf(entries)).toBeGreaterThan(2400);
    expect(entries.map((entry) => entry.causes)).toEqual([[], ['token-limit']]);
  });

  it('asks the estimate that it is given', () => {
    const { entries } = fitBudget(files, { ...limits, maxTokens: 1000 }, { estimateTokens: (text) => text.length });
    expect(entries.reduce((sum, entry) => sum + entry.injectedChars, 0)).toBeLessThanOrEqual(1000);
  });

  it('never gives more for fewer tokens', () => {
    const size = fc.integer({ min: 10, max: 1500 });
    forAll([fc.array(texts(), { minLength: 1, maxLength: 5 }), size, size], 50, (drawn, one, other) => {
      const entries = drawn.map((text, i) => present(`F${i}.md`, text));
      const dropped = (maxTokens: number) =>
        fitBudget(entries, { maxChars: 3000, totalMaxChars: 6000, maxTokens }).entries.filter((entry) => entry.dropped)
          .length;
      expect(dropped(Math.min(one, other))).toBeGreaterThanOrEqual(dropped(Math.max(one, other)));
    });
  });
});

describe('kept sections', () => {
  const text = `${'x'.repeat(5000)}\n## Safety\nNever lie.\n${'y'.repeat(5000)}`;
  const start = text.indexOf('## Safety');
  const keep = [{ start, end: start + '## Safety\nNever lie.'.length }];
  const needed = keptLength({ name: 'LAST.md', text, keep });

  it('survive in the last of many files, at the expense of those before it', () => {
    const files = [...'ABCDEFGH'].map((name) => present(`${name}.md`, 'z'.repeat(5000)));
    const { entries } = fitBudget([...files, present('LAST.md', text, { keep })], {
      ...limits,
      totalMaxChars: needed + 100,
    });
    expect(entries.at(-1)?.text).toContain('## Safety\nNever lie.');
    expect(entries.at(-1)?.dropped).toBe(false);
  });

  it('refuse a limit of a file that is too small for them, and say by how much', () => {
    const attempt = () => fitBudget([present('LAST.md', text, { keep })], { ...limits, maxChars: needed - 7 });
    expect(attempt).toThrow(KeptSectionsOverBudgetError);
    expect(attempt).toThrow(
      `LAST.md need ${needed} characters, 7 more than the ${needed - 7} allowed. Raise bootstrapMaxChars to ${needed}`,
    );
  });

  it('refuse a total that is too small for them', () => {
    const files = [present('LAST.md', text, { keep }), present('LAST.md', text, { keep })];
    const attempt = () => fitBudget(files, { ...limits, totalMaxChars: needed * 2 - 1 });
    expect(attempt).toThrow(`need ${needed * 2} characters (LAST.md is the first that does not fit), 1 more`);
    expect(() => fitBudget(files, { ...limits, totalMaxChars: needed * 2 })).not.toThrow();
  });

  it('refuse a token limit that is too small for them', () => {
    expect(() => fitBudget([present('LAST.md', text, { keep })], { ...limits, maxTokens: 5 })).toThrow(
      KeptSectionsOverTokenBudgetError,
    );
  });

  it('do not stand in the way of a limit that holds the whole file', () => {
    const whole = present('A.md', 'abc', { keep: [{ start: 0, end: 3 }] });
    expect(fitBudget([whole], { maxChars: 3, totalMaxChars: 3 }).entries[0]?.text).toBe('abc');
  });
});

describe('for any files and limits', () => {
  it('stays within all limits and accounts for every character', () => {
    forAll(
      [entryLists(), fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 6000 })],
      (entries, maxChars, totalMaxChars) => {
        const { entries: fitted } = fitBudget(entries, { maxChars, totalMaxChars });
        expect(fitted.reduce((sum, entry) => sum + entry.injectedChars, 0)).toBeLessThanOrEqual(totalMaxChars);
        fitted.forEach((entry, i) => {
          const source = entries[i];
          const original = source && !source.missing ? source.text.trimEnd() : '';
          if (entry.status === 'present') expect(entry.injectedChars).toBeLessThanOrEqual(maxChars);
          const kept = entry.pieces.reduce(
            (sum, piece) => sum + (piece.kind === 'kept' ? piece.end - piece.start : 0),
            0,
          );
          const cut = entry.cuts.reduce((sum, range) => sum + range.end - range.start, 0);
          expect(kept + cut).toBe(original.length);
          expect(entry.causes.length > 0).toBe(entry.truncated);
          expect(entry.text).not.toMatch(/\p{Surrogate}/u);
        });
      },
    );
  });

  it('gives the same answer twice', () => {
    forAll([entryLists()], 30, (entries) => {
      const tight = { maxChars: 900, totalMaxChars: 1500, maxTokens: 300 };
      expect(fitBudget(entries, tight)).toEqual(fitBudget(entries, tight));
    });
  });

  it('trims each file by its own limit alone as long as the total is not short', () => {
    forAll([entryLists(), fc.integer({ min: 1, max: 3000 })], (entries, maxChars) => {
      const alone = entries.map((entry) =>
        entry.missing
          ? `[MISSING] Expected at: ${entry.path}`
          : trimFile({ name: entry.name, text: entry.text, cap: maxChars }).text,
      );
      const totalMaxChars = Math.max(
        1,
        alone.reduce((sum, text) => sum + text.length, 0),
      );
      expect(fitBudget(entries, { maxChars, totalMaxChars }).entries.map((entry) => entry.text)).toEqual(alone);
    });
  });

  it('never drops a file for a smaller total before one of lower priority', () => {
    forAll(
      [entryLists(), fc.integer({ min: 1, max: 4000 }), fc.integer({ min: 0, max: 500 })],
      (entries, total, more) => {
        const dropped = (totalMaxChars: number) =>
          fitBudget(entries, { maxChars: 1000, totalMaxChars }).entries.flatMap((entry, i) =>
            entry.dropped ? [i] : [],
          );
        const atMore = dropped(total + more);
        const atLess = dropped(total);
        expect(atLess).toEqual(expect.arrayContaining(atMore));
        const nonEmpty = entries.flatMap((entry, i) => (entry.missing || entry.text.trimEnd() !== '' ? [i] : []));
        expect(atLess).toEqual(nonEmpty.slice(nonEmpty.length - atLess.length));
      },
    );
  });
});

function tokensOf(entries: readonly { readonly text: string }[]): number {
  return entries.reduce((sum, entry) => sum + estimateTokens(entry.text), 0);
}

function texts(): fc.Arbitrary<string> {
  const word = fc.constantFrom('word ', '😀', '- never push\n', '## Heading\n', '\n', '代理', 'x'.repeat(90));
  return fc.array(word, { maxLength: 60 }).map((words) => words.join(''));
}

function entryLists(): fc.Arbitrary<BudgetEntry[]> {
  const entry = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(fc.constantFrom('SOUL.md', 'AGENTS.md'), texts()).map(([name, text]) => present(name, text)),
    },
    { weight: 1, arbitrary: fc.constant(missing('USER.md')) },
  );
  return fc.array(entry, { minLength: 1, maxLength: 8 });
}
