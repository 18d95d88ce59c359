import { describe, expect, it } from 'vitest';
import { derivedPathsOf, parsePatch } from './parse-patch.ts';

const patch = (...lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

describe('a patch', () => {
  it('adds, updates, moves and deletes files', () => {
    const text = patch(
      '*** Add File: a.txt',
      '+one',
      '+',
      '*** Update File: dir/b c.txt',
      '*** Move to: d.txt',
      '@@ class X',
      '@@   def y',
      ' keep',
      '-old',
      '+new',
      '*** End of File',
      '*** Delete File: e.txt',
    );
    expect(parsePatch(text)).toEqual([
      { kind: 'add', path: 'a.txt', lines: ['one', ''] },
      {
        kind: 'update',
        path: 'dir/b c.txt',
        moveTo: 'd.txt',
        hunks: [
          {
            line: 7,
            headers: ['class X', '  def y'],
            lines: [
              { kind: 'keep', text: 'keep' },
              { kind: 'remove', text: 'old' },
              { kind: 'add', text: 'new' },
            ],
            isAtEnd: true,
          },
        ],
      },
      { kind: 'delete', path: 'e.txt' },
    ]);
    expect(parsePatch(`\ufeff\r\n${text.replaceAll('\n', '\r\n')}\r\n\r\n`)).toEqual(
      parsePatch(text).map((operation) =>
        operation.kind === 'update'
          ? { ...operation, hunks: operation.hunks.map((hunk) => ({ ...hunk, line: hunk.line + 1 })) }
          : operation,
      ),
    );
  });

  it('takes an empty line for one that stays, unless it parts two hunks or files', () => {
    const [operation] = parsePatch(
      patch('*** Update File: a', ' x', '', '-y', '', '@@', '+z', '', '*** Delete File: b'),
    );
    expect(operation).toMatchObject({
      hunks: [
        { lines: [{ text: 'x' }, { kind: 'keep', text: '' }, { text: 'y' }] },
        { lines: [{ kind: 'add', text: 'z' }] },
      ],
    });
  });

  it.each([
    ['', 'Line 1 of the patch cannot be used: "*** Begin Patch" was expected, and the patch ends there'],
    ['```\n*** Begin Patch', 'Line 1 of the patch cannot be used: "*** Begin Patch" was expected'],
    ['*** Begin Patch', 'Line 2 of the patch cannot be used: "*** Add File: <path>"'],
    ['*** Begin Patch\n*** End Patch', 'Line 2 of the patch cannot be used: a file to add, update or delete'],
    [patch('*** Rename File: a'), 'Line 2 of the patch cannot be used: "*** Add File: <path>"'],
    [patch('*** Move to: a'), 'Line 2 of the patch cannot be used: "*** Add File: <path>"'],
    [patch(' *** Delete File: a'), 'Line 2 of the patch cannot be used: "*** Add File: <path>"'],
    [patch('*** Add File:  '), 'Line 2 of the patch cannot be used: the path of a file was expected'],
    [patch('*** Add File: a', '+x', 'y'), 'Line 4 of the patch cannot be used: every line of a file that is added'],
    [patch('*** Delete File: a', '-x'), 'Line 3 of the patch cannot be used: "*** Add File: <path>"'],
    [patch('*** Update File: a'), 'Line 3 of the patch cannot be used: a hunk was expected'],
    [patch('*** Update File: a', '*** Move to:'), 'Line 3 of the patch cannot be used: the new path'],
    [patch('*** Update File: a', '@@'), 'Line 4 of the patch cannot be used: a line that begins with a blank'],
    [patch('*** Update File: a', '@@ -1,3 +1,4 @@', ' x'), 'line numbers are not used'],
    [patch('*** Update File: a', ' x', 'y'), 'Line 4 of the patch cannot be used: "@@", a line that begins'],
    [`${patch('*** Delete File: a')}\nmore`, 'Line 4 of the patch cannot be used: nothing was expected behind'],
    ['*** Begin Patch\n*** Delete File: a', 'Line 3 of the patch cannot be used: "*** Add File: <path>"'],
    [patch(...Array.from({ length: 101 }, (_, at) => `*** Delete File: ${at}`)), 'at most 100 files'],
  ])('that is none says where and why (%#)', (text, problem) => {
    expect(() => parsePatch(text)).toThrow(problem);
  });
});

describe('the paths of a call', () => {
  it('are those of its patch, each once', () => {
    const input = patch(
      '*** Add File: a',
      '+*** Delete File: no',
      '*** Update File: b ',
      '*** Move to: c',
      '*** Delete File: a',
    );
    expect(derivedPathsOf({ input })).toEqual(['a', 'b', 'c']);
  });

  it('are found in a broken patch too', () => {
    expect(derivedPathsOf({ input: 'noise\r\n*** Update File: ../x\r\nnoise' })).toEqual(['../x']);
    expect(derivedPathsOf({ input: 7 })).toEqual([]);
    expect(derivedPathsOf({})).toEqual([]);
    expect(derivedPathsOf({ input: `*** Add File:${' '.repeat(1_000_000)}x` })).toEqual(['x']);
    expect(
      derivedPathsOf({ input: Array.from({ length: 5_000 }, (_, at) => `*** Add File: ${at}`).join('\n') }),
    ).toHaveLength(200);
  });
});
