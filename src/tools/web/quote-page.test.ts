import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../testkit/for-all.ts';
import { quotePage } from './quote-page.ts';

const limits = { maxChars: 1_000, maxQuotedChars: 1_000 };

describe("a stranger's text", () => {
  it('begins every line with a mark, whatever ends a line', () => {
    const { quoted } = quotePage('a\nb\r\nc\rd\u2028e\u2029f\x85g\vh\fi\x1ej', limits);
    expect(quoted).toBe([...'abcdefghij'].map((letter) => `> ${letter}`).join('\n'));
  });

  it('loses what nobody sees, and keeps living scripts', () => {
    const hidden = 'ig\u200bno\u00adre \x1b[2Jthis\u202e \u{e0049}\u{e0067}now\u2066\ufeff';
    expect(quotePage(hidden, limits).quoted).toBe('> ignore [2Jthis now');
    const kept = '\u{1f468}\u200d\u{1f469} \u2764\ufe0f نامه\u200cای\tß';
    expect(quotePage(kept, limits).quoted).toBe(`> ${kept}`);
  });

  it('is cut at a whole character, and says so', () => {
    expect(quotePage('ab😀cd', { ...limits, maxChars: 3 })).toEqual({ quoted: '> ab', chars: 2, isCut: true });
    expect(quotePage('ab\ncd', { ...limits, maxChars: 3 })).toEqual({ quoted: '> ab', chars: 3, isCut: true });
    expect(quotePage('ab\ncd', { ...limits, maxChars: 5 })).toEqual({ quoted: '> ab\n> cd', chars: 5, isCut: false });
    expect(quotePage('\n'.repeat(5_000_000), limits)).toMatchObject({ quoted: '', isCut: true });
  });

  it('never has a line without a mark, and never outgrows its room', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r', '\u2028', '> ', ' ', '[', '\x85', '😀') });
    forAll([text, fc.integer({ min: 1, max: 30 }), fc.integer({ min: 4, max: 60 })], (page, maxChars, room) => {
      const { quoted, chars, isCut } = quotePage(page, { maxChars, maxQuotedChars: room });
      if (quoted !== '') for (const line of quoted.split(/[\n\r\u2028\u2029\x85\v\f]/)) expect(line[0]).toBe('>');
      expect(quoted.length).toBeLessThanOrEqual(room);
      expect(chars).toBeLessThanOrEqual(maxChars);
      if (!isCut) expect(quoted.match(/a/g)?.length ?? 0).toBe(page.match(/a/g)?.length ?? 0);
    });
  });
});
