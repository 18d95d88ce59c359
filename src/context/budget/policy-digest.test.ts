import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../testkit/for-all.ts';
import { isPolicyFile, trimWithPolicyDigest } from './policy-digest.ts';
import { trimFile } from './trim-file.ts';

const rules = Array.from(
  { length: 60 },
  (_, i) => `- rule ${i + 1}: agents must never push secret ${String(i + 1).padStart(4, '0')}`,
);
const agents = [
  '# Intro\nplain paragraph text without keywords here\n'.repeat(80),
  rules.join('\n'),
  '\n',
  'some filler prose that is not matched at all\n'.repeat(200),
  '## Final\nDo not commit credentials.\nEND',
].join('');

describe('trimming AGENTS.md', () => {
  it('recognises the file in any case, and no other', () => {
    expect(isPolicyFile('agents.MD')).toBe(true);
    expect(isPolicyFile('AGENT.md')).toBe(false);
    expect(isPolicyFile('sub/AGENTS.md')).toBe(false);
  });

  it('puts a digest of the binding lines between the start and the end', () => {
    const { text } = trimWithPolicyDigest(agents, 8000);
    expect(text).toContain(
      '\n[...truncated, read AGENTS.md for full content...]\n[Policy digest from AGENTS.md]\n# Intro\n',
    );
    expect(text).toMatch(/…\(truncated AGENTS\.md: kept 3600\+policy \d+\+1200 chars of 15870\)…\n/);
    expect(text.endsWith('Do not commit credentials.\nEND')).toBe(true);
  });

  it('takes strict lines before others, whichever still fits, in the order of the file', () => {
    expect(trimWithPolicyDigest(agents, 220).text).toBe(
      '#\n[...truncated, read AGENTS.md for full content...]\n[Policy digest from AGENTS.md]\n# Intro\nDo not commit credentials.\n' +
        '[...140 more policy lines omitted...]\n…(truncated AGENTS.md: kept 1+policy 34+0 chars of 15870)…',
    );
  });

  it('says nothing of a digest when there is no room for one', () => {
    expect(trimWithPolicyDigest(agents, 160).text).toBe(
      '#\n[...truncated, read AGENTS.md for full content...]\n…(truncated AGENTS.md: kept 1+policy 0+0 chars of 15870)…',
    );
  });

  it('traces each digest line to the line it was made from', () => {
    const source = `intro\r\n  -   must   ${'w'.repeat(300)}\r\n${'filler\n'.repeat(300)}`.trimEnd();
    const { pieces } = trimWithPolicyDigest(source, 1000);
    const digest = pieces.filter((piece) => piece.kind === 'digest');
    expect(digest).toHaveLength(1);
    expect(digest[0]?.text).toBe(`- must ${'w'.repeat(232)}…`);
    expect(source.slice(digest[0]?.start, digest[0]?.end)).toBe(`  -   must   ${'w'.repeat(300)}`);
  });

  it('counts words only where they stand alone', () => {
    const source = `prose about a contest\nprivate words\n${'filler\n'.repeat(300)}`.trimEnd();
    expect(trimWithPolicyDigest(source, 1000).text).not.toContain('[Policy digest');
  });

  it('is left out when the caller asks for the ordinary rule', () => {
    const { text } = trimFile({ name: 'AGENTS.md', text: agents, cap: 200, policyDigest: false });
    expect(text).toBe(
      '# Intro\nplain paragraph text without keywords here\n# Intro\nplain paragr\n\n[...truncated, read AGENTS.md for full content...]\n' +
        '…(truncated AGENTS.md: kept 71+23 chars of 15870)…\n\ncommit credentials.\nEND',
    );
  });
});

describe('a digest that is shorter than its share', () => {
  const prose = (length: number) =>
    'Plain words about the house. '
      .repeat(Math.ceil(length / 29))
      .slice(0, length - 1)
      .concat('.');

  it('leaves its room to the text: one character too many costs no more than the marker', () => {
    const { cuts, text } = trimFile({ name: 'AGENTS.md', text: prose(12_001), cap: 12_000 });
    expect(text.length).toBeGreaterThan(11_990);
    expect(text.length).toBeLessThanOrEqual(12_000);
    const lost = cuts.reduce((sum, { start, end }) => sum + end - start, 0);
    expect(lost).toBeLessThan(150);
  });

  it('uses the limit to the last characters, whatever the text is', () => {
    const line = fc.constantFrom('plain words here\n', '- an item\n', 'You must ask.\n', '## Heading\n', '😀 smile\n');
    forAll([fc.array(line, { minLength: 60, maxLength: 300 }), fc.integer({ min: 300, max: 3000 })], (lines, cap) => {
      const whole = lines.join('').trimEnd();
      if (whole.length <= cap) return;
      const { text, pieces } = trimWithPolicyDigest(whole, cap);
      expect(text.length).toBeLessThanOrEqual(cap);
      const isDigestFull = text.includes('more policy lines omitted');
      if (!isDigestFull && pieces.at(-1)?.kind === 'kept') expect(text.length).toBeGreaterThan(cap - 16);
    });
  });
});
