// `exec` against a real shell and real programs: what it asks for, what it runs, and how it ends.

import { chmod, mkdir, readdir, readFile, rmdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { ExecRig } from './fixtures/exec-rig.ts';
import { pidTokenOf } from './pid-token.ts';

/** Prints its arguments, one a line, in angle brackets. */
const SHOW_ARGUMENTS = '#!/bin/sh\nprintf "<%s>\\n" "$@"\n';

async function withShow(rig: ExecRig): Promise<string> {
  const file = await rig.scratch.writeOutside('bin/show', SHOW_ARGUMENTS);
  await chmod(file, 0o755);
  return join(rig.scratch.outsideDir, 'bin');
}

describe('the decision of exec', () => {
  it('is to ask, with exactly what would run', async () => {
    const rig = await ExecRig.create();
    await mkdir(rig.scratch.path('src'));
    expect(await rig.decide({ command: 'ls -la "a b"', cwd: 'src', timeoutSeconds: 5 })).toEqual({
      kind: 'ask',
      title: 'Run a command',
      description:
        'Folder: src in the workspace\nTime limit: 5 seconds\nAlways would mean: exactly these words, in this folder, in every session of this agent.\nCommand:\n$ ls -la "a b"',
      severity: 'warning',
      rule: { argv: ['ls', '-la', 'a b'], cwd: 'src' },
    });
    expect(await rig.decide({ command: 'ls; rm -rf x', background: true })).toMatchObject({
      kind: 'ask',
      title: 'Run a command in the background',
      severity: 'critical',
      rule: null,
    });
  });

  it('follows the operator: deny, full, rules, no questions, always questions', async () => {
    const decide = async (policy: JsonObject, command = 'ls -l') =>
      (await ExecRig.create({ policy })).decide({ command });
    expect(await decide({ security: 'deny' })).toMatchObject({
      kind: 'deny',
      reason: expect.stringMatching(/switched off/),
    });
    expect(await decide({ security: 'full' })).toMatchObject({ kind: 'allow', grant: { kind: 'policy' } });
    expect(await decide({ security: 'full', ask: 'always' })).toMatchObject({ kind: 'ask', rule: null });
    expect(await decide({ allow: ['ls *'] })).toEqual({
      kind: 'allow',
      grant: { kind: 'rule', rule: 'ls *', argv: ['ls', '-l'] },
    });
    expect(await decide({ allow: ['ls *'], ask: 'off' })).toMatchObject({ kind: 'allow' });
    expect(await decide({ ask: 'off' })).toMatchObject({
      kind: 'deny',
      reason: expect.stringMatching(/No rule allows/),
    });
    expect(await decide({ allow: ['ls *'], ask: 'always' })).toMatchObject({ kind: 'ask', rule: null });
  });

  it('knows the rules that "allow-always" wrote, of this agent and this folder only', async () => {
    const rig = await ExecRig.create();
    await mkdir(rig.scratch.path('src'));
    const rule = { id: 'rule_1', agentId: 'main', toolName: 'exec', argv: ['ls', '-l'], cwd: '.' };
    const row = { ...rule, createdAt: 1, createdBy: 'cli', approvalId: null };
    await rig.store.commit([{ insert: 'allowRules', row }], { site: 'approval' });
    const command = 'ls -l';
    expect(await rig.decide({ command })).toMatchObject({ kind: 'allow', grant: { rule: 'rule_1' } });
    expect(await rig.decide({ command, cwd: 'src' })).toMatchObject({ kind: 'ask' });
    expect(await rig.decide({ command }, { agentId: 'other' })).toMatchObject({ kind: 'ask' });
    await rig.store.commit([{ update: 'allowRules', where: { id: 'rule_1' }, set: { toolName: 'write' } }], {
      site: 'approval',
    });
    expect(await rig.decide({ command })).toMatchObject({ kind: 'ask' });
  });

  it('offers no lasting rule for what runs other programs, or can be changed by the agent', async () => {
    const rig = await ExecRig.create();
    await chmod(await rig.scratch.write('check', SHOW_ARGUMENTS), 0o755);
    const commands = [
      'git status',
      'sh -c ls',
      'python3 x.py',
      './check',
      join(rig.scratch.workspaceDir, 'check'),
      'no-such',
    ];
    for (const command of commands) expect(await rig.decide({ command })).toMatchObject({ kind: 'ask', rule: null });
  });

  it('offers no lasting rule for a link in the workspace either, wherever it leads', async () => {
    const rig = await ExecRig.create();
    const { scratch } = rig;
    const bin = await withShow(rig);
    await symlink(join(bin, 'show'), scratch.path('show'));
    await symlink(bin, scratch.path('bin'));
    // Outside, by way of the workspace.
    await symlink(scratch.path('show'), join(bin, 'detour'));
    await symlink(scratch.path('bin'), join(scratch.outsideDir, 'programs'));
    const changeable = [
      './show',
      'bin/show',
      scratch.path('bin/show'),
      join(bin, 'detour'),
      join(scratch.outsideDir, 'programs/show'),
    ];
    for (const command of changeable) expect(await rig.decide({ command })).toMatchObject({ kind: 'ask', rule: null });
    expect(await rig.decide({ command: join(bin, 'show') })).toMatchObject({ rule: { argv: [join(bin, 'show')] } });
  });

  it.each([
    [{ command: ' ' }, /must not be empty/],
    [{ command: 'ls\0' }, /NUL/],
    [{ command: 'ls', timeoutSeconds: 21 }, /at most 20/],
    [{ command: 'ls', timeoutSeconds: 1, background: true }, /not for commands in the background/],
    [{ command: 'ls', cwd: '..' }, /leads out of the workspace/],
    [{ command: 'ls', cwd: '/' }, /leads out of the workspace/],
    [{ command: 'ls', cwd: 'out' }, /a link on the way leads out/],
    [{ command: 'ls', cwd: 'out/deeper' }, /a link on the way leads out/],
    [{ command: 'ls', cwd: 'nowhere' }, /there is no such folder/],
    [{ command: 'ls', cwd: 'file' }, /it is no folder/],
    [{ command: 'ls', cwd: 'a\0b' }, /NUL/],
  ])('refuses what makes no sense, and bothers nobody with it: %j', async (params, problem) => {
    const rig = await ExecRig.create({ policy: { security: 'full' } });
    await rig.scratch.write('file', '');
    await rig.scratch.writeOutside('deeper/x', '');
    await symlink(rig.scratch.outsideDir, rig.scratch.path('out'));
    await expect(rig.decide(params)).rejects.toThrow(problem);
    const output = await rig.runApproved(params);
    expect(output).toMatchObject({ isError: true, content: expect.stringMatching(problem) });
  });
});

describe('attacks on the allow-list', () => {
  const allow = ['ls *', 'cat notes.md', 'show *', 'env *', 'sh *', 'xargs *', 'find *', 'git *', 'tar *', 'echo *'];
  let shared: ExecRig;
  beforeAll(async () => {
    shared = await ExecRig.open({ policy: { allow } });
  });
  afterAll(() => shared.remove());

  it.each([
    'ls; rm -rf x',
    'ls ;rm x',
    'ls && rm x',
    'ls || rm x',
    'ls | sh',
    'ls |& sh',
    'ls & rm x',
    'ls > x',
    'ls >> x',
    'ls >| x',
    'ls 2> x',
    'ls < x',
    'ls <(rm x)',
    'ls <<< x',
    'ls $(rm x)',
    'ls --x $(rm x)',
    'ls "$(rm x)"',
    "ls '\n'$(rm x)",
    'ls `rm x`',
    'ls "`rm x`"',
    'ls $((1))',
    'ls $\x7bIFS}x',
    'ls$IFS-la',
    "ls $'\\x3b' rm x",
    'ls\nrm x',
    'ls\r\nrm x',
    'ls\rrm x',
    'ls \\\n; rm x',
    'ls\u2028rm x',
    'ls\u0085rm x',
    'ls #\nrm x',
    'ls #',
    "ls 'a' \\'; rm x'",
    'ls "a\\\\"; rm x"',
    "ls 'unclosed",
    'A=b ls',
    'PATH=. ls',
    'LD_PRELOAD=./x.so ls',
    'env ls',
    'env A=b ls',
    'env -S "rm x"',
    'sh -c "rm x"',
    'bash -c ls',
    'xargs rm',
    'find . -exec rm x',
    'find . -delete',
    'git -c alias.x=!rm x',
    "git -c 'alias.x=!rm' x",
    'git status',
    'tar cf x --checkpoint-action=exec=rm',
    'command ls',
    'builtin echo',
    'exec ls',
    'eval ls',
    '. ls',
    'time ls',
    '! ls',
    '{ ls; }',
    '(ls)',
    'if ls',
    'ls{,}',
    'ls ~',
    'ls *',
    'ls [a]',
    'ls !!',
    './ls',
    '/bin/ls',
    'LS',
    'ls\u00a0x',
    'ls\u3000x',
    'ls\u200bx',
    '\ufeffls',
    'lѕ x',
    'cat notes.md x',
    'cat ./notes.md',
    'cat',
  ])('%j asks', async (command) => {
    expect(await shared.decide({ command })).toMatchObject({ kind: 'ask' });
  });

  it.each([
    ['a NUL character', 'ls\0; rm x'],
    ['more than anybody reads', `ls ${'x'.repeat(20_000)}`],
  ])('%s is refused', async (_, command) => {
    await expect(shared.decide({ command })).rejects.toThrow(/cannot be used/);
  });

  it.each([
    [`show 'a; rm x' "b | c" d\\ e`, ['a; rm x', 'b | c', 'd e']],
    [`show '$(rm x)' '\`rm x\`' '$HOME' '*'`, ['$(rm x)', '`rm x`', '$HOME', '*']],
    ['show -rf --x=y a=b', ['-rf', '--x=y', 'a=b']],
    [`show '' "" ''`, ['', '', '']],
  ])('%s passes, and its program gets these very words', async (command, words) => {
    const bin = await withShow(shared);
    const rig = await ExecRig.create({ policy: { allow }, variables: { PATH: `${bin}:/usr/bin:/bin` } });
    const output = await rig.run({ command });
    expect(output.content).toBe(`${words.map((word) => `<${word}>`).join('\n')}\n\n[Exit code 0.]`);
  });

  it('a program in the folder, or in a search path that leads into the workspace, takes nobody’s place', async () => {
    const rig = await ExecRig.create();
    const { workspaceDir } = rig.scratch;
    for (const name of ['ls', 'bin/ls']) await chmod(await rig.scratch.write(name, '#!/bin/sh\necho shadow\n'), 0o755);
    await symlink(join(workspaceDir, 'bin'), join(rig.scratch.outsideDir, 'linked'));
    const path = [
      '',
      '.',
      workspaceDir,
      join(workspaceDir, 'bin'),
      join(rig.scratch.outsideDir, 'linked'),
      '/usr/bin',
      '/bin',
    ];
    const other = await ExecRig.create({ policy: { allow: ['ls *'] }, variables: { PATH: path.join(':') } });
    const output = await other.run({ command: 'ls' }, { workspaceDir });
    expect(output.content).toContain('bin');
    expect(output.content).not.toContain('shadow');
  });

  it('a program of the workspace takes no other one’s name in what a person approved either', async () => {
    const { scratch } = await ExecRig.create();
    const { workspaceDir } = scratch;
    await chmod(await scratch.write('bin/ls', '#!/bin/sh\necho shadow\n'), 0o755);
    for (const path of [`${scratch.path('bin')}:/usr/bin:/bin`, scratch.path('bin')]) {
      const rig = await ExecRig.create({ variables: { PATH: path } });
      const output = await rig.runApproved({ command: 'ls -1; true', cwd: 'bin' }, { workspaceDir });
      expect(output.content).toBe('ls\n\n[Exit code 0.]');
    }
  });

  it('a link in place of the folder that was approved leads nowhere', async () => {
    const rig = await ExecRig.create();
    await mkdir(rig.scratch.path('safe'));
    await mkdir(rig.scratch.path('other'));
    await symlink('safe', rig.scratch.path('link'));
    expect(await rig.decide({ command: 'touch x', cwd: 'safe' })).toMatchObject({ kind: 'ask' });
    expect(await rig.decide({ command: 'touch x', cwd: rig.scratch.path('safe') })).toMatchObject({ kind: 'ask' });
    expect(await rig.decide({ command: 'touch x', cwd: 'link' })).toMatchObject({
      kind: 'deny',
      reason: expect.stringMatching(/"safe"/),
    });
    await rmdir(rig.scratch.path('safe'));
    await symlink('other', rig.scratch.path('safe'));
    const output = await rig.runApproved({ command: 'touch x', cwd: 'safe' });
    expect(output).toMatchObject({ isError: true, content: expect.stringMatching(/not the one that was approved/) });
    expect(await readdir(rig.scratch.path('other'))).toEqual([]);
  });

  it('nothing runs without a grant, or with the grant of another command', async () => {
    const rig = await ExecRig.create({ policy: { allow: ['ls *'] } });
    expect(await rig.run({ command: 'touch x' }, { grant: undefined })).toMatchObject({
      isError: true,
      content: expect.stringMatching(/nothing allowed it/),
    });
    for (const command of ['touch x', 'ls; touch x', 'ls x y']) {
      const output = await rig.run({ command }, { grant: { kind: 'rule', rule: 'ls *', argv: ['ls', 'x'] } });
      expect(output).toMatchObject({ isError: true, content: expect.stringMatching(/names another command/) });
    }
    const gone = await rig.run({ command: 'touch x' }, { grant: { kind: 'rule', rule: 'r', argv: ['touch', 'x'] } });
    expect(gone).toMatchObject({ isError: true, content: expect.stringMatching(/is gone/) });
    expect(await readdir(rig.scratch.workspaceDir)).toEqual([]);
  });
});

describe('a command', () => {
  it('runs in its folder, and says what it printed and how it ended', async () => {
    const rig = await ExecRig.create();
    await mkdir(rig.scratch.path('src'));
    const output = await rig.runApproved({ command: 'pwd; echo oops >&2; exit 3', cwd: 'src' });
    expect(output).toMatchObject({ isError: true, details: { exitCode: 3, signal: null } });
    expect(output.content).toContain(join(rig.scratch.workspaceDir, 'src'));
    expect(output.content).toMatch(/oops/);
    expect(output.content).toMatch(/\[Exit code 3\.\]$/);
    expect((await rig.runApproved({ command: 'true' })).content).toBe('[No output.]\n\n[Exit code 0.]');
    expect((await rig.runApproved({ command: '-x' })).content).toMatch(/not found\s*\[Exit code 127/);
    expect((await rig.runApproved({ command: 'kill -9 $$' })).content).toMatch(/Killed by SIGKILL/);
  });

  it('has no input, and an environment of its own', async () => {
    const variables = { HOME: '/h', SECRET_API_KEY: 'swordfish', WANTED: 'yes', PATH: '/usr/bin:/bin' };
    const rig = await ExecRig.create({ policy: { env: ['WANTED'] }, variables });
    const { content } = await rig.runApproved({ command: 'cat; env' });
    expect(content).toMatch(/^WANTED=yes$/m);
    expect(content).toMatch(/^HOME=\/h$/m);
    expect(content).not.toMatch(/swordfish|VITEST|npm_/);
  });

  it('is ended with everything that it started when its time is over', async () => {
    const rig = await ExecRig.create();
    const command = "trap '' TERM; sh -c 'echo $$; sleep 60' & sleep 60";
    const output = await rig.runApproved({ command, timeoutSeconds: 1 });
    expect(output).toMatchObject({ isError: true, content: expect.stringMatching(/its 1 second was over/) });
    await gone(Number(/^\d+/.exec(output.content)?.[0]));
  });

  it('is ended when its run is stopped', async () => {
    const rig = await ExecRig.create();
    const controller = new AbortController();
    const running = rig.runApproved({ command: 'echo $$ >pid; sleep 60' }, { signal: controller.signal });
    const pid = Number(await appearing(rig.scratch.path('pid')));
    controller.abort();
    expect(await running).toMatchObject({ isError: true, content: expect.stringMatching(/stopped/) });
    await gone(pid);
  });

  it('leaves nothing behind in its group', async () => {
    const rig = await ExecRig.create();
    const { content } = await rig.runApproved({ command: 'sleep 60 >/dev/null 2>&1 & echo $!' });
    expect(content).toMatch(/left running was ended/);
    await gone(Number(/^\d+/.exec(content)?.[0]));
  });

  it('prints what a model can read: no escapes, no broken characters', async () => {
    const rig = await ExecRig.create();
    const command = `printf '\\033[31mred\\033[0m \\033]0;title\\007a\\r\\nb\\rc \\377 \\000 \\303\\274'`;
    expect((await rig.runApproved({ command })).content).toBe('red a\nb\nc \ufffd  ü\n\n[Exit code 0.]');
  });

  it('that prints nothing but line ends for long holds nobody up', async () => {
    const rig = await ExecRig.create({ policy: { maxOutputChars: 200_000 } });
    const { content } = await rig.runApproved({ command: `head -c 100000 /dev/zero | tr '\\0' '\\n'; echo x; echo` });
    expect(content).toBe(`${'\n'.repeat(100_000)}x\n\n[Exit code 0.]`);
  }, 40_000);

  it('that prints more than is shown is shown from both ends, and all of it is in a private file', async () => {
    const rig = await ExecRig.create({ policy: { maxOutputChars: 1_000 } });
    const output = await rig.runApproved({ command: 'seq 1 20000' });
    expect(output.content).toMatch(/^1\n2\n3\n/);
    expect(output.content).toMatch(/\n20000\n\n\[Exit code 0\.\]$/);
    expect(output.content.length).toBeLessThan(1_500);
    const { outputFile } = output.details as { outputFile: string };
    expect(output.content).toContain(
      `[Cut here: the output has 108894 bytes, and its middle is left out. All of it is in ${outputFile};`,
    );
    expect((await readFile(outputFile, 'utf8')).length).toBe(108_894);
    expect((await stat(outputFile)).mode & 0o777).toBe(0o600);
    expect((await stat(rig.dir)).mode & 0o777).toBe(0o700);

    const id = /"id":"(proc_\w+)"/.exec(output.content)?.[1] ?? '';
    const offset = Number(/"offset":(\d+)/.exec(output.content)?.[1]);
    const more = await rig.look({ action: 'log', id, offset, limit: 100 });
    expect(output.content.split('\n[Cut')[0] + more.content).toContain(
      Array.from({ length: 120 }, (_, at) => `${at + 1}\n`).join(''),
    );
    expect(more.content).toMatch(/\[Ended with exit code 0\. These are bytes/);
    expect(await rig.look({ action: 'log', id }, { sessionKey: 'agent:main:other' })).toMatchObject({ isError: true });
  });

  it('that prints little leaves no file, and one without end is ended', async () => {
    const rig = await ExecRig.create();
    await rig.runApproved({ command: 'echo hi' });
    await expect(readdir(rig.dir)).rejects.toThrow();
    const { content, details } = await rig.runApproved({ command: 'yes' });
    expect(content).toMatch(/printed too much/);
    const { outputFile } = details as { outputFile: string };
    expect((await stat(outputFile)).size).toBeLessThan(10.1 * 1024 * 1024);
    expect((await readFile(outputFile, 'utf8')).slice(-100)).toMatch(/The output went on/);
  });
});

async function gone(pid: number): Promise<void> {
  expect(pid).toBeGreaterThan(1);
  for (let tries = 0; tries < 500; tries++) {
    if ((await pidTokenOf(pid)) === undefined) return;
    await sleep(10);
  }
  throw new Error(`${pid} is still there`);
}

async function appearing(file: string): Promise<string> {
  for (let tries = 0; tries < 500; tries++) {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text !== '') return text;
    await sleep(10);
  }
  throw new Error(`${file} did not appear`);
}
