import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../testkit/for-all.ts';
import { keptLength, trimFile } from './trim-file.ts';
import type { TextRange, TrimmedText } from './trim-piece.ts';

const soul = Array.from({ length: 2000 }, (_, i) => `line ${String(i + 1).padStart(4, '0')} of the soul file`).join(
  '\n',
);

describe('a file within its cap', () => {
  it('stays whole, without its trailing blanks', () => {
    expect(trimFile({ name: 'SOUL.md', text: '\n  hello \n\n', cap: 8 })).toEqual({
      pieces: [{ kind: 'kept', start: 0, end: 8 }],
      cuts: [],
      text: '\n  hello',
    });
  });

  it('has no pieces when it is blank', () => {
    expect(trimFile({ name: 'SOUL.md', text: ' \n\t', cap: 8 })).toEqual({ pieces: [], cuts: [], text: '' });
  });
});

describe('a file over its cap', () => {
  it('keeps three quarters from the start and a quarter from the end, with a marker that names both', () => {
    const { text, cuts } = trimFile({ name: 'SOUL.md', text: soul, cap: 160 });
    expect(text).toBe(
      'line 0001 of the soul file\nline 0002 of the \n\n[...truncated, read SOUL.md for full content...]\n' +
        '…(truncated SOUL.md: kept 44+14 chars of 53999)…\n\n the soul file',
    );
    expect(cuts).toEqual([{ start: 44, end: 53999 - 14 }]);
  });

  it('gets a short marker where the long one would leave too little text', () => {
    expect(trimFile({ name: 'SOUL.md', text: soul, cap: 30 }).text).toBe('line 0[…truncated 6+2/53999]le');
  });

  it('shows one character rather than none when there is room for one', () => {
    expect(trimFile({ name: 'SOUL.md', text: soul, cap: 23 }).text).toBe('l[…truncated 1+0/53999]');
  });

  it('is cut hard when not even the marker fits', () => {
    expect(trimFile({ name: 'SOUL.md', text: soul, cap: 10 }).text).toBe('[…truncate');
  });

  it('never splits a surrogate pair, and counts what really stayed', () => {
    const { text } = trimFile({ name: 'SOUL.md', text: '😀'.repeat(400), cap: 64 });
    expect(text).toBe(`${'😀'.repeat(15)}[…truncated 30+10/800]${'😀'.repeat(5)}`);
  });

  it('fits every cap, accounts for every character, and never makes half a character', () => {
    const name = fc.constantFrom('SOUL.md', 'AGENTS.md', 'a-rather-long-file-name.md');
    forAll(
      [name, proseWithEmoji(), fc.integer({ min: 1, max: 1500 }), fc.boolean()],
      (file, text, cap, policyDigest) => {
        const trimmed = trimFile({ name: file, text, cap, policyDigest });
        expect(trimmed.text.length).toBeLessThanOrEqual(cap);
        expectAccountedFor(text.trimEnd(), trimmed);
        expect(trimmed.text).not.toMatch(/\p{Surrogate}/u);
      },
    );
  });
});

describe('sections that must be kept', () => {
  const filler = (n: number) => 'x'.repeat(n);

  it('survive in full, and each gap says how much of it is gone', () => {
    const text = `${filler(500)}\n## Safety\nNever lie.\n${filler(500)}`;
    const start = text.indexOf('## Safety');
    const keep = [{ start, end: text.indexOf('\n', start + 10) }];
    const trimmed = trimFile({ name: 'AGENTS.md', text, cap: 300, keep });
    expect(trimmed.text).toContain('\n## Safety\nNever lie.\n[...');
    expect(trimmed.text).toMatch(
      /^x+\n\[\.\.\.\d+ chars truncated, read AGENTS\.md for full content\.\.\.\]\n## Safety/,
    );
    expect(trimmed.text.length).toBeLessThanOrEqual(300);
    expect(trimmed.text.length).toBeGreaterThan(290);
    const gone = [...trimmed.text.matchAll(/\[\.\.\.(\d+) chars/g)].map((match) => Number(match[1]));
    expect(gone).toEqual(trimmed.cuts.map((cut) => cut.end - cut.start));
  });

  it('stand alone between markers when nothing else fits', () => {
    const text = `${filler(500)}KEEP${filler(500)}`;
    const keep = [{ start: 500, end: 504 }];
    const cap = keptLength({ name: 'A.md', text, keep });
    expect(trimFile({ name: 'A.md', text, cap, keep }).text).toBe(
      '\n[...500 chars truncated, read A.md for full content...]\nKEEP\n[...500 chars truncated, read A.md for full content...]\n',
    );
  });

  it('do not pay for a marker where the gap is shorter than one', () => {
    const text = `KEEP\n\nKEEP${filler(500)}`;
    const keep = [
      { start: 0, end: 4 },
      { start: 6, end: 10 },
    ];
    const { cuts } = trimFile({ name: 'A.md', text, cap: 100, keep });
    expect(cuts).toHaveLength(1);
    expect(cuts[0]?.start).toBeGreaterThanOrEqual(10);
  });

  it('cost nothing to ask for where there are none', () => {
    expect(keptLength({ name: 'A.md', text: soul, keep: [] })).toBe(0);
  });

  it('are there for any cap, and the cap holds whenever they fit', () => {
    forAll([proseWithEmoji(), ranges(), fc.integer({ min: 1, max: 1500 })], (text, keep, cap) => {
      const trimmed = trimFile({ name: 'AGENTS.md', text, cap, keep });
      const original = text.trimEnd();
      expect(trimmed.text.length).toBeLessThanOrEqual(Math.max(cap, keptLength({ name: 'AGENTS.md', text, keep })));
      expectAccountedFor(original, trimmed);
      expect(trimmed.text).not.toMatch(/\p{Surrogate}/u);
      if (keep.some((range) => range.start < Math.min(range.end, original.length))) {
        for (const cut of trimmed.cuts) {
          for (const range of keep) {
            expect(Math.min(cut.end, range.end) - Math.max(cut.start, range.start)).toBeLessThanOrEqual(0);
          }
        }
      }
    });
  });

  it('leave more of the rest at a larger cap, never less', () => {
    forAll([proseWithEmoji(), ranges(), fc.integer({ min: 1, max: 1500 })], (text, keep, cap) => {
      const least = keptLength({ name: 'A.md', text, keep });
      const gone = (room: number) =>
        trimFile({ name: 'A.md', text, cap: room, keep }).cuts.reduce((sum, cut) => sum + cut.end - cut.start, 0);
      if (least > 0) expect(gone(least + cap + 1)).toBeLessThanOrEqual(gone(least + cap));
    });
  });
});

function proseWithEmoji(): fc.Arbitrary<string> {
  const word = fc.constantFrom('word ', '😀', '- never push\n', '## Heading\n', '\n', 'é', '  ', 'x'.repeat(80));
  return fc.array(word, { minLength: 1, maxLength: 120 }).map((words) => words.join(''));
}

function ranges(): fc.Arbitrary<TextRange[]> {
  const range = fc.tuple(fc.nat(1500), fc.integer({ min: 1, max: 120 }));
  return fc.array(
    range.map(([start, length]) => ({ start, end: start + length })),
    { minLength: 1, maxLength: 4 },
  );
}

function expectAccountedFor(original: string, { pieces, cuts, text }: TrimmedText): void {
  const kept = pieces.filter((piece) => piece.kind === 'kept');
  expect(
    pieces.map((piece) => (piece.kind === 'kept' ? original.slice(piece.start, piece.end) : piece.text)).join(''),
  ).toBe(text);
  const covered = [...kept, ...cuts].sort((a, b) => a.start - b.start);
  expect(covered.map((range) => original.slice(range.start, range.end)).join('')).toBe(original);
  expect(covered.reduce((sum, range) => sum + range.end - range.start, 0)).toBe(original.length);
  for (let i = 1; i < cuts.length; i++) expect(cuts[i]?.start).toBeGreaterThan(cuts[i - 1]?.end ?? 0);
}
