import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GROUPS } from './command-groups.ts';
import { COMMANDS } from './commands.ts';
import { CliHome } from './fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create();
});
afterEach(() => home.remove());

describe('--profile', () => {
  it('gives a command another state directory, before and after the command', async () => {
    await home.run(['--profile', 'dev', 'hooks', 'enable', 'time-context']);
    expect((await stat(join(home.home, '.openclaw-dev/openclaw.json'))).isFile()).toBe(true);
    expect((await home.run(['hooks', 'list', '--profile', 'dev'])).out).toMatch(/^3 +time-context/m);
    expect((await home.run(['hooks', 'list'])).out).toContain('time-context (off)');
  });

  it('gives the default agent another workspace', async () => {
    await home.run(['--profile', 'dev', 'agents', 'init']);
    expect(await home.runJson(['--profile', 'dev', 'agents', 'list'])).toMatchObject({
      agents: [{ workspace: home.path('workspace-dev'), exists: true }],
    });
    expect(await home.runJson(['agents', 'list'])).toMatchObject({ agents: [{ exists: false }] });
  });

  it('gives way to what the person set', async () => {
    const stateDir = join(home.home, 'elsewhere');
    const env = { OPENCLAW_STATE_DIR: stateDir };
    const { out } = await home.run(['--profile', 'dev', 'hooks', 'enable', 'time-context'], { env });
    expect(out).toContain(join(stateDir, 'openclaw.json'));
  });

  it('refuses a name that would lead somewhere else', async () => {
    for (const name of ['../x', '', 'a/b', '.']) {
      const { code, err } = await home.run(['--profile', name, 'agents', 'list']);
      expect(code).toBe(2);
      expect(err).toMatch(/^atrium: --profile .* is not a name of letters/);
    }
  });
});

describe('a command line', () => {
  it('that is misspelt gets a suggestion and exit code 2', async () => {
    const { code, err } = await home.run(['hooks', 'lst']);
    expect(code).toBe(2);
    expect(err).toMatch(/unknown command 'lst'\n\(Did you mean list\?\)/);
    expect((await home.run(['hooks', 'list', '--jsn'])).err).toMatch(/\(Did you mean --json\?\)/);
  });

  it('that has an unknown flag and lacks another one is told of the unknown one, which may be the other misspelt', async () => {
    const { code, err } = await home.run(['route', 'explain', '--chanel', 'discord']);
    expect(code).toBe(2);
    expect(err).toMatch(/unknown option '--chanel'\n\(Did you mean --channel\?\)/);
    expect((await home.run(['route', 'explain'])).err).toMatch(/required option '--channel <name>' not specified/);
  });

  it.each(COMMANDS.map(({ path }) => path))('asks for help about "%s" and gets it, with examples', async (path) => {
    const { code, out } = await home.run([...path.split(' '), '--help']);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^Usage: atrium ${path}`));
    expect(out).toMatch(/Examples?:\n {2}\$ atrium /);
    // A flag that has a default names it in the same way everywhere.
    expect(out).not.toMatch(/unless you say/);
  });

  it.each(COMMANDS.map(({ path }) => path))('gets a suggestion for a misspelt flag of "%s"', async (path) => {
    await home.run(['agents', 'init']);
    const { out } = await home.run([...path.split(' '), '--help']);
    const flags = [...out.matchAll(/^ {2}(?:-\w, )?(--[a-z][\w-]{3,})/gm)].map(([, flag = '']) => flag);
    for (const flag of flags) {
      const misspelt = `${flag.slice(0, -1)}${flag.at(-1) === 'z' ? 'y' : 'z'}q`;
      const { code, err } = await home.run([...path.split(' '), misspelt]);
      expect([code, err]).toEqual([2, expect.stringMatching(/unknown option .*\n\(Did you mean (?:one of )?--/)]);
    }
  });

  it.each(Object.keys(GROUPS))('gets a suggestion for a misspelt command of "%s"', async (group) => {
    const names = COMMANDS.flatMap(({ path }) => (path.startsWith(`${group} `) ? [path.slice(group.length + 1)] : []));
    for (const name of names.filter((each) => each.length > 3)) {
      const { code, err } = await home.run([group, name.slice(0, -1)]);
      expect([group, name, code, err]).toEqual([group, name, 2, expect.stringContaining('Did you mean')]);
    }
  });

  it.each(
    [...new Set(COMMANDS.map(({ path }) => path.split(' ')[0] ?? ''))].filter((word) => word.length > 3),
  )('gets a suggestion for a misspelt "%s"', async (word) => {
    const { code, err } = await home.run([`${word.slice(0, -2)}${word.at(-1)}${word.at(-2)}`, 'x']);
    expect([code, err]).toEqual([2, expect.stringContaining('Did you mean')]);
  });
});
