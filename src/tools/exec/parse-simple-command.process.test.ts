import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forAll } from '../../testkit/for-all.ts';
import { parseSimpleCommand } from './parse-simple-command.ts';

describe('a simple command', () => {
  it.each([
    ['ls', ['ls']],
    ['  ls\t-la  ', ['ls', '-la']],
    ['git show HEAD~1 HEAD^', ['git', 'show', 'HEAD~1', 'HEAD^']],
    ['/usr/bin/printf %s', ['/usr/bin/printf', '%s']],
    [`grep 'a $b; c' "d | e" f\\ g`, ['grep', 'a $b; c', 'd | e', 'f g']],
    [`echo "say \\"hi\\" \\\\ there"`, ['echo', 'say "hi" \\ there']],
    [`echo '' "" a''b`, ['echo', '', '', 'ab']],
    [`'ls' -"l"'a'`, ['ls', '-la']],
    ['echo --since=2024 a=b', ['echo', '--since=2024', 'a=b']],
    ['echo grüße 日本', ['echo', 'grüße', '日本']],
    ['echo \\; \\| \\& \\* \\#', ['echo', ';', '|', '&', '*', '#']],
  ])('%s', (text, words) => {
    expect(parseSimpleCommand(text)).toEqual(words);
  });

  it.each([
    '',
    '   ',
    'ls; rm x',
    'ls && rm x',
    'ls || rm x',
    'ls | sh',
    'ls & rm x',
    'ls &',
    'ls > x',
    'ls 2>&1',
    'ls < x',
    'ls <<x',
    'ls $(rm x)',
    'ls "$(rm x)"',
    'ls `rm x`',
    'ls "`rm x`"',
    'ls $HOME',
    'ls "$HOME"',
    'ls "\\$HOME"',
    'ls \\$HOME',
    "ls $'a'",
    'ls $\x7bx}',
    'ls\nrm x',
    'ls\rrm x',
    'ls \\\nrm',
    'ls\0rm',
    'ls *',
    'ls a?',
    'ls [ab]',
    'ls {a,b}',
    'ls ~',
    'ls ~root',
    'ls a=~',
    'ls a:~',
    'ls #',
    'ls a#b',
    'ls !x',
    'ls "!x"',
    '! ls',
    '(ls)',
    '{ ls; }',
    'f() ls',
    'A=b ls',
    "'A=b' ls",
    'a[1]=b ls',
    '%1',
    '-x',
    'ls "x',
    "ls 'x",
    'ls \\',
    'ls "\\a"',
    'if ls',
    'while ls',
    'time ls',
    '[[ a',
    '[ a',
    'eval ls',
    'exec ls',
    '. x',
    'source x',
    'command ls',
    'builtin ls',
    'alias a',
    'cd x',
    'export A=b',
    'set x',
    'trap x',
    "'cd' x",
    'ls\u00a0-la',
    'ls\u3000-la',
    'ls \u202exyz',
    'ls \u200bx',
    'ls "\u2028"',
    'ls \ud800',
    'ls\v-la',
    'ls \x1b[2J',
    'lѕ', // with a Cyrillic letter
    `ls ${'x'.repeat(20_000)}`,
  ])('is not %j', (text) => {
    expect(parseSimpleCommand(text)).toBeUndefined();
  });

  const shells = ['/bin/sh', '/bin/bash'].filter((shell) => spawnSync(shell, ['-c', ':']).status === 0);

  it.each(shells)('is read by %s as the very same words', (shell) => {
    const pieces = [
      ...`abzAZ019 \t'"\\$\`;&|<>(){}[]*?!#~=:%^,.@+-_/\n`,
      ...'éÁ\u0081日\u{1f600}\u00a0\u200b',
      '\\"',
      "''",
      ' ~',
      'a~',
      '=~',
      '"a b"',
      "'$x'",
    ];
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((all) => `x ${all.join('')}`);
    const accepted: { text: string; words: readonly string[] }[] = [];
    forAll([text], 20_000, (line) => {
      const words = parseSimpleCommand(line);
      if (words) accepted.push({ text: line, words });
    });
    expect(accepted.length).toBeGreaterThan(500);
    // One shell for many of them; the function gets to see the words exactly as a program would.
    const script = ['x() { printf "%s\\0" x "$@"; printf "\\n\\0"; }', ...accepted.map((each) => each.text)].join('\n');
    const { stdout, status } = spawnSync(shell, ['-c', script], { maxBuffer: 1e8 });
    expect(status).toBe(0);
    const read = stdout.toString().split('\n\0').slice(0, -1);
    expect(read.map((words) => words.split('\0').slice(0, -1))).toEqual(accepted.map(({ words }) => words));
  });
});
