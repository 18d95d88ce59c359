import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create({
    'openclaw.yaml': 'bootstrap: { hooks: { time-context: { enabled: true } } }\n',
    'workspace/AGENTS.md': '# Rules\n\nBe brief.\n',
    'workspace/TOOLS.md': 'Use rg.\n',
    'workspace/MEMORY.md': 'Ana likes tea.\n',
    'workspace/skills/pdf/SKILL.md': '---\nname: pdf\ndescription: Reads PDF files.\n---\n',
  });
});
afterEach(() => home.remove());

const check = (...argv: string[]) => home.run(['context', 'check', ...argv]);
const lock = (file: string) => home.path(`workspace/context.lock/${file}`);

describe('atrium context check', () => {
  it('says what to do when there are no snapshots', async () => {
    const { code, out, err } = await check();
    expect([code, out]).toEqual([2, '']);
    expect(err).toBe(
      `atrium: There are no snapshots in ${home.path('workspace/context.lock')}. Write them with "atrium context check --update", and commit the folder.\n`,
    );
  });

  it('writes situations and snapshots, then finds them unchanged', async () => {
    const update = await check('--update');
    expect([update.code, update.err]).toEqual([0, '']);
    expect(update.out).toMatch(/^interactive: written\nnight: written\ngroup: written\nsubagent: written\n/);
    expect((await readdir(lock('.'))).sort()).toEqual([
      '.gitattributes',
      'group.md',
      'group.sections.json',
      'interactive.md',
      'interactive.sections.json',
      'night.md',
      'night.sections.json',
      'situations.json',
      'subagent.md',
      'subagent.sections.json',
    ]);
    const after = await check();
    expect([after.code, after.err]).toEqual([0, '']);
    expect(after.out).toContain('4 situations as in context.lock.');
    expect(await readFile(lock('night.md'), 'utf8')).toContain('## Overnight');
    expect(await readFile(lock('group.md'), 'utf8')).not.toMatch(/\btea\b/);
    expect(await readFile(lock('subagent.md'), 'utf8')).not.toMatch(/\btea\b/);
  });

  it('names this machine nowhere', async () => {
    await home.write('workspace/SOUL.md', `Notes are in ${home.path('workspace')}/notes and ${home.home}/mail.\n`);
    await check('--update');
    for (const file of await readdir(lock('.'))) {
      expect(await readFile(lock(file), 'utf8')).not.toContain(home.home);
    }
    expect(await readFile(lock('interactive.md'), 'utf8')).toContain('in <workspace>/notes and <home>/mail.');
  });

  it('holds at another time, in a pipeline, and in another checkout of another person', async () => {
    await home.write('workspace/SOUL.md', `Notes are in ${home.path('workspace')}/notes.\n`);
    await check('--update');
    const night = new Date('2027-01-02T02:00:00Z');
    const there = { now: night, env: { CI: 'true', TZ: 'Asia/Tokyo' } };
    expect((await home.run(['context', 'check'], there)).code).toBe(0);

    const other = await CliHome.create({ 'openclaw.yaml': await home.read('openclaw.yaml') });
    const checkout = join(other.home, 'src', 'agent');
    await cp(home.path('workspace'), checkout, { recursive: true });
    const result = await other.run(['context', 'check', '--workspace', 'src/agent'], there);
    expect([result.code, result.err]).toEqual([0, '']);
    const linked = join(other.home, 'link');
    await symlink(checkout, linked);
    expect((await other.run(['context', 'check', '--workspace', linked], there)).code).toBe(0);
    await other.remove();
  });

  it('exits with 1 and names the section, the author and the lines of a change, once', async () => {
    await check('--update');
    await home.write('workspace/AGENTS.md', '# Rules\n\nBe \x1b[31mloud.\n');
    const { code, out } = await check();
    expect(code).toBe(1);
    expect(out).toMatch(/^interactive: changed\n {2}AGENTS\.md: changed, 18 -> 22 characters, by AGENTS\.md\n/);
    expect(out).toMatch(/^ {2}- AGENTS\.md {2}Be brief\.\n {2}\+ AGENTS\.md {2}Be {2}\[31mloud\.$/m);
    expect(out).toContain('night: changed\n  AGENTS.md: changed, as in interactive\n');
    expect(out).toContain('4 of 4 situations differ from context.lock.');
    expect(out).not.toContain('\x1b');
  });

  it('tells which section came or went, and who brought it', async () => {
    await check('--update');
    await home.write('openclaw.yaml', '{}');
    await home.write('AGENTS.md', 'House rules.\n');
    const { out } = await check('night');
    expect(out).toMatch(/^ {2}AGENTS\.md \(time-context\): removed, 253 -> 0 characters, by handler time-context$/m);
    expect(out).toMatch(
      /^ {2}AGENTS\.md: changed, .* by handler global-files from <state>\/AGENTS\.md, handler global-files$/m,
    );
    expect(out).toContain('1 of 1 situation differs from');
  });

  it('accepts a change with --update, and writes only what changed', async () => {
    await check('--update');
    await home.write('workspace/MEMORY.md', 'Ana likes coffee.\n');
    const { code, out } = await check('--update');
    expect(code).toBe(0);
    expect(out).toContain('group: as committed');
    expect(out).toContain('interactive: written\n  MEMORY.md: changed');
    expect((await check()).code).toBe(0);
  });

  it('prints the same as JSON', async () => {
    await check('--update');
    await home.write('workspace/MEMORY.md', 'Ana likes coffee.\n');
    expect(await home.runJson(['context', 'check'])).toMatchObject({
      ok: false,
      dir: home.path('workspace/context.lock'),
      situations: [
        {
          name: 'interactive',
          status: 'changed',
          differences: [{ title: 'MEMORY.md', authors: ['<workspace>/MEMORY.md'] }],
        },
        { name: 'night', status: 'changed' },
        { name: 'group', status: 'same', differences: [] },
        { name: 'subagent', status: 'same' },
      ],
    });
  });

  it('uses the situations that a person writes', async () => {
    const situations = [{ name: 'on-call', channel: 'slack', at: '2026-05-02T03:00', tz: 'Europe/Berlin' }];
    await home.write('lock/situations.json', JSON.stringify(situations));
    const dir = home.path('lock');
    const missing = await check('--dir', dir);
    expect([missing.code, missing.out.split('\n')[0]]).toEqual([1, 'on-call: has no snapshot yet']);
    expect((await check('--dir', dir, '--update')).code).toBe(0);
    expect(await readFile(join(dir, 'on-call.md'), 'utf8')).toContain('## Overnight');
    expect(await readFile(join(dir, 'situations.json'), 'utf8')).toBe(JSON.stringify(situations));
    expect((await check('--dir', dir)).code).toBe(0);
  });

  it('notices a snapshot that was changed by hand, one that is broken, and one that nobody asks for', async () => {
    await check('--update');
    await writeFile(lock('night.md'), `${await readFile(lock('night.md'), 'utf8')}more\n`);
    await writeFile(
      lock('group.sections.json'),
      '{"version":1,"hash":"","sections":[{"title":"x","authors":[["a",1e12]]}]}',
    );
    await cp(lock('subagent.md'), lock('old.md'));
    await cp(lock('subagent.sections.json'), lock('old.sections.json'));
    const { code, out } = await check();
    expect(code).toBe(1);
    expect(out).toContain('night: its snapshot was changed by hand');
    expect(out).toContain('group: has no snapshot yet');
    expect(out).toContain('The snapshot "old" in context.lock belongs to no situation');
  });

  it('refuses situations that are not fixed, or whose names lead elsewhere, in one sentence', async () => {
    const fixed = { at: '2026-05-02T03:00', tz: 'UTC' };
    const cases: [unknown, string][] = [
      [{}, 'it must be a list with at least one situation'],
      [[], 'it must be a list with at least one situation'],
      [['x'], 'situation 1 is not an object'],
      [[{ name: '../x', ...fixed }], 'situation 1 needs a "name" of small letters'],
      [[{ name: 'A B', ...fixed }], 'situation 1 needs a "name" of small letters'],
      [[{ name: 'x', at: '10:00', tz: 'UTC' }], '"x" needs an "at" with date and time'],
      [[{ name: 'x', at: '2026-13-01T10:00', tz: 'UTC' }], '"x" needs an "at" with date and time'],
      [[{ name: 'x', at: fixed.at }], '"x" needs a "tz"'],
      [[{ name: 'x', ...fixed, type: 'odd' }], '"type" of "x" is none of interactive'],
      [[{ name: 'x', ...fixed, sesion: 'y' }], '"x" has "sesion", which is none of name'],
      [[{ name: 'x', ...fixed, agent: 1 }], '"agent" of "x" must be text'],
      [
        [
          { name: 'x', ...fixed },
          { name: 'x', ...fixed },
        ],
        'two situations have the name "x"',
      ],
    ];
    for (const [situations, problem] of cases) {
      await home.write('workspace/context.lock/situations.json', JSON.stringify(situations));
      const { code, err } = await check('--update');
      expect(code).toBe(2);
      expect(err).toContain(`atrium: ${lock('situations.json')}: ${problem}`);
      expect(err.trim().split('\n')).toHaveLength(1);
    }
    await home.write('workspace/context.lock/situations.json', 'not json');
    expect((await check()).err).toMatch(/situations\.json: it is not JSON/);
    expect(await readdir(lock('.'))).toEqual(['situations.json']);
  });

  it('knows no situation that is not listed, and guesses which is meant', async () => {
    await check('--update');
    const { code, err } = await check('nihgt');
    expect([code, err]).toEqual([2, 'atrium: There is no situation "nihgt". Did you mean "night"?\n']);
  });

  it('writes through no link, and says when it cannot write', async () => {
    await check('--update');
    const victim = join(home.home, 'victim');
    await writeFile(victim, 'precious');
    await rm(lock('night.md'));
    await symlink(victim, lock('night.md'));
    await check('--update');
    expect(await readFile(victim, 'utf8')).toBe('precious');
    await mkdir(join(home.home, 'taken'));
    await writeFile(join(home.home, 'taken/context.lock'), '');
    const { code, err } = await check('--update', '--dir', join(home.home, 'taken/context.lock/deeper'));
    expect(code).toBe(2);
    expect(err).toMatch(/^atrium: The snapshot .* cannot be (read|written) \(ENOTDIR\)\. .*\n$/);
  });
});

describe('a snapshot folder that somebody tampered with', () => {
  it('is not written to when it is a link', async () => {
    await mkdir(home.path('victim'));
    await writeFile(home.path('victim/interactive.md'), 'precious');
    await symlink(home.path('victim'), home.path('workspace/context.lock'));
    expect((await check('--update')).code).toBe(2);
    expect(await readFile(home.path('victim/interactive.md'), 'utf8')).toBe('precious');
  });

  it('cannot hang the command with a pipe, nor show a file through a link', async () => {
    await check('--update');
    await rm(lock('situations.json'));
    execFileSync('mkfifo', [lock('situations.json')]);
    expect((await check()).code).toBe(2);
    await writeFile(home.path('shadow'), 'a secret');
    await rm(lock('night.md'));
    await symlink(home.path('shadow'), lock('night.md'));
    await rm(lock('situations.json'));
    const { out } = await check('--update');
    expect(out).not.toContain('a secret');
    expect(await readFile(home.path('shadow'), 'utf8')).toBe('a secret');
  });
});
