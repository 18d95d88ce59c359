// Real shells complete a word with the script that the command prints. A shell that is not on this machine is skipped.

import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEnvironment } from '../../config/environment.ts';
import { CliHome } from '../fixtures/cli-home.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

let home: CliHome;
const scripts: Record<string, string> = {};
beforeAll(async () => {
  home = await CliHome.create();
  for (const shell of SHELLS) {
    const { code, out } = await home.run(['completion', shell]);
    expect(code).toBe(0);
    scripts[shell] = join(home.home, `atrium.${shell}`);
    await writeFile(scripts[shell], out);
  }
});
afterAll(() => home.remove());

const isThere = (shell: Shell) => spawnSync(shell, ['--version']).status === 0;

/** What the shell offers for the last word of the line. */
const ASK: Readonly<Record<Shell, (script: string, words: readonly string[]) => readonly string[]>> = {
  bash: (script, words) => [
    ...['--norc', '-c'],
    `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _atrium; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ...['bash', script, ...words],
  ],
  // compadd and _describe are the functions with which zsh offers words; here they print them.
  zsh: (script, words) => [
    ...['-f', '-c'],
    `compdef() { }; compadd() { shift; print -l -- "$@" }; _files() { print FILES }
     _describe() { local each; for each in \${(P)4}; do print -r -- "\${each%%:*}"; done }
     source "$1"; shift; words=("$@"); CURRENT=$#; _atrium | while read -r each; do [[ "$each" == "\${words[-1]}"* ]] && print -r -- "$each"; done; true`,
    ...['zsh', script, ...words],
  ],
  fish: (script, words) => ['--no-config', '-c', 'source $argv[1]; complete -C "$argv[2]"', script, words.join(' ')],
};

describe.each(SHELLS.map((shell) => ({ shell })))('in $shell', ({ shell }) => {
  const complete = (...words: readonly string[]) => {
    const { PATH } = readEnvironment().variables;
    const { status, stdout, stderr } = spawnSync(shell, ASK[shell](scripts[shell] ?? '', ['atrium', ...words]), {
      cwd: home.home,
      env: { PATH, HOME: home.home, TERM: 'xterm' },
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const offered = stdout.split('\n').map((line) => line.split('\t')[0] ?? '');
    return offered.filter((word) => word !== '').sort();
  };

  it.skipIf(!isThere(shell))('completes commands, sub-commands, flags and what a flag takes', () => {
    expect(complete('sta')).toEqual(['start', 'status']);
    expect(complete('cron', 'h')).toEqual(['history']);
    expect(complete('cron', 'list', '--a')).toEqual(['--agent']);
    expect(complete('--profile', 'work', 'cron', 'ad')).toEqual(['add']);
    expect(complete('agents', 'add', '--taxonomy', 'openb')).toEqual(['openboa']);
    expect(complete('docs', 'mod')).toEqual(['models']);
    expect(complete('docs', 'models', '--no')).toEqual(['--no-pager']);
    expect(complete('completion', 'z')).toEqual(['zsh']);
    expect(complete('nothing-like-this', 'x')).toEqual([]);
  });
});

it('has every command in every script', async () => {
  const { COMMANDS } = await import('../commands.ts');
  for (const shell of SHELLS) {
    const { out } = await home.run(['completion', shell]);
    for (const { path } of COMMANDS) expect(out).toMatch(new RegExp(`['"]${path}['"]`));
  }
});

it('names the shells that there are', async () => {
  const { code, err } = await home.run(['completion', 'tcsh']);
  expect({ code, hasName: /tcsh/.test(err) }).toEqual({ code: 2, hasName: true });
});
