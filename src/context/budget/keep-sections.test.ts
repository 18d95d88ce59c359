import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../testkit/for-all.ts';
import { findKeptSections } from './keep-sections.ts';

const kept = (text: string, ...selectors: string[]) =>
  findKeptSections('AGENTS.md', text, selectors).ranges.map((range) => text.slice(range.start, range.end));

describe('a keep comment', () => {
  it('keeps the section of the heading on the next line, up to a heading of the same level', () => {
    const text = '# Top\n\n<!-- keep -->\n## Safety\nNever.\n### Detail\nmore\n\n## Style\nnice\n';
    expect(kept(text)).toEqual(['## Safety\nNever.\n### Detail\nmore']);
  });

  it('ends a section at a heading of a higher level, or at the end', () => {
    expect(kept('<!-- keep -->\n### A\na\n# B\nb')).toEqual(['### A\na']);
    expect(kept('<!-- keep -->\n# A\na\n## B\nb\n')).toEqual(['# A\na\n## B\nb']);
  });

  it('may be spaced and spelt freely, and may be followed by a blank line', () => {
    expect(kept('<!--KEEP-->\r\n\r\n## A\r\na\r\n')).toEqual(['## A\r\na']);
  });

  it('works before an underlined heading', () => {
    expect(kept('<!-- keep -->\nSafety\n======\nNever.\n\nStyle\n=====\nnice')).toEqual(['Safety\n======\nNever.']);
  });

  it('is reported when no heading follows', () => {
    const { ranges, strayKeepLines } = findKeptSections('A.md', 'intro\n<!-- keep -->\ntext\n# A\n<!-- keep -->\n');
    expect(ranges).toEqual([]);
    expect(strayKeepLines).toEqual([2, 5]);
  });

  it('is text like any other inside a code fence', () => {
    expect(kept('```md\n<!-- keep -->\n# No\n```\n# Yes\n')).toEqual([]);
  });
});

describe('a selector', () => {
  it('names a heading, in any case and at any level', () => {
    expect(kept('# One\na\n## safety first\nb\n## Two\nc', 'agents.md# Safety First ')).toEqual(['## safety first\nb']);
  });

  it('keeps every heading of that name', () => {
    expect(kept('## Rules\na\n## Other\nb\n## Rules ##\nc', 'AGENTS.md#Rules')).toEqual([
      '## Rules\na',
      '## Rules ##\nc',
    ]);
  });

  it('is not deceived by fences, comments, indented code, front matter or things that only look like headings', () => {
    const lookalikes = [
      '```\n# Safety\n```',
      '~~~\n```\n# Safety\n~~~',
      '<!--\n# Safety\n-->',
      '    # Safety',
      '#Safety',
      '####### Safety',
    ];
    for (const text of lookalikes) expect(kept(`${text}\n`, 'AGENTS.md#Safety')).toEqual([]);
    expect(kept('---\nSafety\n---\nbody', 'AGENTS.md#Safety')).toEqual([]);
    expect(kept('first line\nSafety\n---\nbody', 'AGENTS.md#Safety')).toEqual([]);
  });

  it('is reported when this file has no such heading, and ignored when it is about another file', () => {
    const { unmatchedSelectors } = findKeptSections('AGENTS.md', '# Safety\n', [
      'AGENTS.md#Safty',
      'SOUL.md#Tone',
      'AGENTS.md',
    ]);
    expect(unmatchedSelectors).toEqual(['AGENTS.md#Safty', 'AGENTS.md']);
  });

  it('merges with a section around it', () => {
    expect(kept('<!-- keep -->\n# A\n## B\nb\n## C\n', 'AGENTS.md#B')).toEqual(['# A\n## B\nb\n## C']);
  });
});

it('gives ordered, separate ranges that begin at a line, for any text', () => {
  const line = fc.constantFrom(
    '# A',
    '## B',
    'text',
    '```',
    '~~~',
    '<!-- keep -->',
    '<!--',
    '-->',
    '---',
    '===',
    '',
    '# A #',
    '😀',
  );
  forAll([fc.array(line, { maxLength: 40 })], (lines) => {
    const text = lines.join('\n');
    const { ranges } = findKeptSections('AGENTS.md', text, ['AGENTS.md#A']);
    ranges.forEach((range, i) => {
      expect(range.end).toBeGreaterThan(range.start);
      expect(range.start).toBeGreaterThanOrEqual(ranges[i - 1]?.end ?? 0);
      expect(range.start === 0 || text[range.start - 1] === '\n').toBe(true);
    });
  });
});

it('stays fast on a text made to slow it down', () => {
  const hostile = `# a${' '.repeat(60_000)}b\n${'<!-- keep -->\n# x\n'.repeat(20_000)}`;
  const before = process.cpuUsage();
  findKeptSections('AGENTS.md', hostile, ['AGENTS.md#x']);
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
});
