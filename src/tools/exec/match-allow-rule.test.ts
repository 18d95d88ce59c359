import { describe, expect, it } from 'vitest';
import { matchAllowRule, parseAllowRule, problemOfRule } from './match-allow-rule.ts';
import { parseSimpleCommand } from './parse-simple-command.ts';

function matched(command: string, configured: readonly string[], cwd = '.'): string | undefined {
  const argv = parseSimpleCommand(command);
  return argv && matchAllowRule({ argv, cwd }, { configured, stored: [] });
}

describe('a rule of the operator', () => {
  it('names every word, or ends in a star for any more', () => {
    expect(matched('git status', ['git status'])).toBe('git status');
    expect(matched('git  "status"', ['git status'])).toBe('git status');
    expect(matched('git status -s', ['git status'])).toBeUndefined();
    expect(matched('git', ['git status'])).toBeUndefined();
    expect(matched('ls', ['ls *'])).toBe('ls *');
    expect(matched('ls -la src', ['ls *'])).toBe('ls *');
    expect(matched('ls -la src', ['ls -la *'])).toBe('ls -la *');
    expect(matched('ls src -la', ['ls -la *'])).toBeUndefined();
    expect(matched('lsof', ['ls *'])).toBeUndefined();
    expect(matched("ls '*'", ["ls '*'"])).toBe("ls '*'");
    expect(matched('ls x', ["ls '*'"])).toBeUndefined();
  });

  it.each([
    '*',
    '',
    'ls * -l',
    'ls*',
    'l* *',
    'ls; *',
    'ls \\ *x',
    'ls " *',
    'ls $x',
    'FOO=1 ls *',
  ])('that is no simple command allows nothing: %s', (rule) => {
    expect(parseAllowRule(rule)).toBeUndefined();
    expect(problemOfRule(rule)).toMatch(/simple command/);
  });

  it.each([
    'env ls',
    'sh x',
    'bash -c ls',
    'xargs ls',
    'find . -name x',
    'sudo ls',
    'nohup ls',
    'timeout 1 ls',
    'python3.12 -c x',
    'node -e x',
    'perl5.36 x',
    'awk x',
    'sed x',
    'git log',
    'git -c alias.x=y x',
    'tar --checkpoint-action=exec=x',
    'sort --compress-program=x',
    'busybox ls',
    '/usr/bin/env ls',
    '/bin/BASH x',
    'npx x',
    'gcc-13 x',
    'linux32 ls',
    'ssh-agent ls',
    'powershell.exe x',
    'vim.basic x',
    // They run what a file of the workspace says.
    'eslint .',
    'prettier --check .',
    'mypy src',
    'bat --pager=x --paging=always notes.md',
  ])('with an open end never holds for what can run other programs: %s', (command) => {
    const [program = ''] = parseSimpleCommand(command) ?? [];
    expect(matched(command, [`${program} *`, `${command} *`])).toBeUndefined();
    expect(problemOfRule(`${program} *`)).toMatch(/any other program/);
    expect(matched(command, [command])).toBe(command);
  });

  it('for a path holds for the very same text only', () => {
    expect(matched('/bin/ls x', ['ls *'])).toBeUndefined();
    expect(matched('ls x', ['/bin/ls *'])).toBeUndefined();
    expect(matched('./ls x', ['ls *'])).toBeUndefined();
    expect(matched('/bin/../bin/ls x', ['/bin/ls *'])).toBeUndefined();
    expect(matched('/bin/ls x', ['/bin/ls *'])).toBe('/bin/ls *');
  });

  it('for a file of the workspace does not hold in another folder', () => {
    expect(matched('./check', ['./check'])).toBe('./check');
    expect(matched('./check', ['./check'], 'sub')).toBeUndefined();
    expect(matched('ls', ['ls'], 'sub')).toBe('ls');
  });
});

describe('a rule that "allow-always" wrote', () => {
  const stored = [{ id: 'rule_1', argv: ['ls', '-la', 'a b'], cwd: 'src' }];
  const match = (argv: readonly string[], cwd: string) => matchAllowRule({ argv, cwd }, { configured: [], stored });

  it('holds for these words in this folder and for nothing else', () => {
    expect(match(['ls', '-la', 'a b'], 'src')).toBe('rule_1');
    expect(match(['ls', '-la', 'a b'], '.')).toBeUndefined();
    expect(match(['ls', '-la', 'a', 'b'], 'src')).toBeUndefined();
    expect(match(['ls', '-la', 'a b', 'c'], 'src')).toBeUndefined();
    expect(match(['ls', '-la'], 'src')).toBeUndefined();
  });
});
