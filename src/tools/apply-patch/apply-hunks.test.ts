import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../testkit/for-all.ts';
import { applyHunks } from './apply-hunks.ts';
import { parsePatch } from './parse-patch.ts';

function apply(before: string, ...lines: readonly string[]): string {
  const [operation] = parsePatch(['*** Begin Patch', '*** Update File: a', ...lines, '*** End Patch'].join('\n'));
  return applyHunks('a', before, operation?.kind === 'update' ? operation.hunks : []);
}

describe('a hunk', () => {
  it('changes the lines that it names', () => {
    expect(apply('a\nb\nc\n', ' a', '-b', '+B', '+BB', ' c')).toBe('a\nB\nBB\nc\n');
    expect(apply('a\nb\nc\nd\n', '-a', '@@', '-d', '+D')).toBe('b\nc\nD\n');
    expect(apply('a\n', '-a')).toBe('');
  });

  it('keeps line ends, the mark at the beginning, and a last line without an end', () => {
    expect(apply('\ufeffa\r\nb\r\nc', ' a', '-b', '+B')).toBe('\ufeffa\r\nB\r\nc');
    expect(apply('a\r\nb\n\r\nc\r\n', ' a', '+x', ' b')).toBe('a\r\nx\r\nb\n\r\nc\r\n');
    expect(apply('a\nb', ' b', '+c')).toBe('a\nb\nc');
    expect(apply('a\nb', ' a', '-b')).toBe('a');
    expect(apply('', '+a')).toBe('a\n');
  });

  it('is found despite blanks at the end of lines, which stay as the file has them', () => {
    expect(apply('a  \nb\t\nc\n', ' a', '-b', '+B', ' c ')).toBe('a  \nB\nc\n');
    expect(apply('x \nx\n', '-x', '+y')).toBe('x \ny\n');
  });

  it('goes behind its header', () => {
    const before = 'def a():\n  pass\n\ndef b():\n  pass\n';
    expect(apply(before, '@@ def b():', '-  pass', '+  return 1')).toBe('def a():\n  pass\n\ndef b():\n  return 1\n');
    expect(apply(before, '@@ def b():', '+  # new')).toBe('def a():\n  pass\n\ndef b():\n  # new\n  pass\n');
    expect(apply('class X\n    def y\n', '@@ class X', '@@ def y', '+z')).toBe('class X\n    def y\nz\n');
  });

  it('goes to the end when it says so, or has nothing to stand by', () => {
    expect(apply('x\ny\nx\n', '-x', '+z', '*** End of File')).toBe('x\ny\nz\n');
    expect(apply('x\n', '+y')).toBe('x\ny\n');
    expect(() => apply('x\ny\n', '-x', '*** End of File')).toThrow('at the end of the file');
  });

  it('that fits nowhere, or in two places, changes nothing and says why', () => {
    expect(() => apply('a\nb\n', '-c')).toThrow(
      'The hunk at line 3 of the patch does not fit "a": its lines, from "c" on',
    );
    expect(() => apply('a\nb\n', '-b', '@@', '-a')).toThrow('below line 2');
    expect(() => apply('a\nb\na\n', '-a')).toThrow('its lines stand at lines 1 and 3');
    expect(() => apply('a\n', '@@ nothing', '-a')).toThrow('no line reads "nothing"');
    expect(() => apply('a\n', ' a', '-b')).toThrow('do not stand one after the other');
  });

  it('is not looked for for ever', () => {
    const hunk = [...new Array<string>(30_000).fill(' '), '-x'];
    expect(() => apply('\n'.repeat(60_000), ...hunk)).toThrow('takes too long');
  });

  it('applies to a long file', () => {
    const before = Array.from({ length: 200_000 }, (_, at) => `${at}\n`).join('');
    expect(apply(before, '-199999', '+last')).toBe(before.replace('199999\n', 'last\n'));
  });

  const edits = fc.array(
    fc.record({
      text: fc.constantFrom('', ' ', 'a', 'b', '+', '-', '@@ x', '*** x', 'é'),
      edit: fc.constantFrom('keep', 'remove', 'add'),
    }),
    { minLength: 1, maxLength: 30 },
  );

  it('of the whole file gives what the edits say, whatever the lines are', () => {
    const signs = { keep: ' ', remove: '-', add: '+' } as const;
    forAll([edits, fc.constantFrom('\n', '\r\n'), fc.boolean()], 300, (lines, lineEnd, hasLastEnd) => {
      const join = (kinds: readonly string[]) => {
        const kept = lines.filter(({ edit }) => kinds.includes(edit)).map(({ text }) => text);
        return kept.length === 0 ? '' : kept.join(lineEnd) + (hasLastEnd ? lineEnd : '');
      };
      const before = join(['keep', 'remove']);
      // A file of one empty line without an end is an empty file, and one line has no usual end.
      fc.pre(before.includes(lineEnd) && (hasLastEnd || !/(?:^|\n)$/.test(before)));
      const after = join(['keep', 'add']);
      fc.pre(hasLastEnd || after !== '');
      expect(apply(before, '@@', ...lines.map(({ edit, text }) => `${signs[edit as 'keep']}${text}`))).toBe(after);
    });
  });

  it('after hunk, with a line of context each, gives what the edits say', () => {
    const numbered = fc.array(fc.constantFrom('keep', 'remove', 'replace', 'insert'), { minLength: 1, maxLength: 40 });
    forAll([numbered], (kinds) => {
      fc.pre(kinds.some((kind) => kind !== 'keep'));
      const before = kinds.map((_, at) => `line ${at}\n`).join('');
      const after = kinds.map(
        (kind, at) =>
          ({ keep: `line ${at}\n`, remove: '', replace: `new ${at}\n`, insert: `line ${at}\nnew ${at}\n` })[kind],
      );
      const hunks = kinds.flatMap((kind, at) => {
        if (kind === 'keep') return [];
        if (kind === 'insert') return ['@@', ` line ${at}`, `+new ${at}`];
        return ['@@', `-line ${at}`, ...(kind === 'replace' ? [`+new ${at}`] : [])];
      });
      expect(apply(before, ...hunks)).toBe(after.join(''));
    });
  });
});
