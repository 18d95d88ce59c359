import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

  it('asks for help and gets it, with examples, for every command', async () => {
    const top = await home.run(['--help']);
    expect(top.code).toBe(0);
    for (const group of ['hooks', 'agents', 'config']) {
      const { out } = await home.run([group, '--help']);
      const names = [...out.slice(out.indexOf('Commands:')).matchAll(/^ {2}([a-z]+) /gm)].map(([, name = '']) => name);
      for (const name of names.filter((each) => each !== 'help')) {
        const help = await home.run([group, name, '--help']);
        expect(help.code).toBe(0);
        expect(help.out).toMatch(/Examples?:\n {2}\$ atrium /);
      }
    }
  });
});
