import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { applyCliProfileEnv } from './cli-profile.ts';
import { readEnvironment } from './environment.ts';
import { resolveHomeDir } from './home-dir.ts';
import { resolveStateDir } from './state-dir.ts';
import { resolveTimezone } from './timezone.ts';
import { resolveUserPath } from './user-path.ts';

const root = await mkdtemp(path.join(os.tmpdir(), 'atrium-environment-'));
afterAll(() => rm(root, { recursive: true, force: true }));

const noUser = () => {
  throw new Error('no such user');
};
const newHome = () => mkdtemp(path.join(root, 'home-'));

describe('the home directory', () => {
  it('is OPENCLAW_HOME, else HOME, else USERPROFILE, else that of the user, else the working directory', () => {
    const all = { OPENCLAW_HOME: '/a', HOME: '/b', USERPROFILE: '/c' };
    expect(resolveHomeDir(all, () => '/d')).toBe('/a');
    expect(resolveHomeDir({ HOME: '/b', USERPROFILE: '/c' }, () => '/d')).toBe('/b');
    expect(resolveHomeDir({ USERPROFILE: '/c' }, () => '/d')).toBe('/c');
    expect(resolveHomeDir({}, () => '/d')).toBe('/d');
    expect(resolveHomeDir({}, noUser, '/e')).toBe('/e');
  });

  it('takes blank, "undefined" and "null" for unset', () => {
    expect(resolveHomeDir({ OPENCLAW_HOME: ' ', HOME: 'undefined', USERPROFILE: 'null' }, () => '/d')).toBe('/d');
  });

  it('lets OPENCLAW_HOME start with a tilde', () => {
    expect(resolveHomeDir({ OPENCLAW_HOME: '~/alt', HOME: '/b' })).toBe('/b/alt');
    expect(resolveHomeDir({ OPENCLAW_HOME: '~' }, noUser, '/e')).toBe('/e');
  });
});

describe('a path that a person wrote', () => {
  it('is absolute afterwards', () => {
    expect(resolveUserPath('~/x', '/home/ana')).toBe('/home/ana/x');
    expect(resolveUserPath(' ~ ', '/home/ana')).toBe('/home/ana');
    expect(resolveUserPath('x/../y', '/home/ana', '/cwd')).toBe('/cwd/y');
    expect(resolveUserPath('/x', '/home/ana')).toBe('/x');
    expect(resolveUserPath('~bob/x', '/home/ana', '/cwd')).toBe('/cwd/~bob/x');
    expect(resolveUserPath('  ')).toBe('');
  });
});

describe('the state directory', () => {
  it('is .openclaw in the home, unless OPENCLAW_STATE_DIR moves it', async () => {
    const home = await newHome();
    expect(resolveStateDir({ HOME: home })).toBe(path.join(home, '.openclaw'));
    expect(resolveStateDir({ HOME: home, OPENCLAW_STATE_DIR: '~/st' })).toBe(path.join(home, 'st'));
  });

  it('is an existing folder with an old name when there is no new one', async () => {
    const home = await newHome();
    await mkdir(path.join(home, '.clawdbot'));
    await writeFile(path.join(home, '.clawdbot/clawdbot.json'), '{}');
    expect(readEnvironment({ HOME: home })).toMatchObject({
      stateDir: path.join(home, '.clawdbot'),
      configPath: path.join(home, '.clawdbot/clawdbot.json'),
    });
    await mkdir(path.join(home, '.openclaw'));
    expect(resolveStateDir({ HOME: home })).toBe(path.join(home, '.openclaw'));
  });
});

describe('a profile from the command line', () => {
  it('gets a state directory and a configuration of its own', () => {
    const env = applyCliProfileEnv(' work ', { HOME: '/h' });
    expect(env).toEqual({
      HOME: '/h',
      OPENCLAW_PROFILE: 'work',
      OPENCLAW_STATE_DIR: '/h/.openclaw-work',
      OPENCLAW_CONFIG_PATH: '/h/.openclaw-work/openclaw.json',
    });
    expect(readEnvironment(env)).toMatchObject({ profile: 'work', stateDir: '/h/.openclaw-work' });
  });

  it('does not override what was set, and "dev" brings a port', () => {
    const env = applyCliProfileEnv('dev', { HOME: '/h', OPENCLAW_STATE_DIR: '/s', OPENCLAW_CONFIG_PATH: '/c.json' });
    expect(env).toMatchObject({
      OPENCLAW_STATE_DIR: '/s',
      OPENCLAW_CONFIG_PATH: '/c.json',
      OPENCLAW_GATEWAY_PORT: '19001',
    });
  });

  it('changes nothing when blank, and leaves the variables it was given alone', () => {
    const given = Object.freeze({ HOME: '/h' });
    expect(applyCliProfileEnv('  ', given)).toBe(given);
    expect(readEnvironment(applyCliProfileEnv('DEFAULT', given))).toMatchObject({
      profile: undefined,
      stateDir: '/h/.openclaw',
    });
  });
});

describe('the environment', () => {
  it('is a value that later changes of process.env do not touch', () => {
    const env: Record<string, string> = { HOME: '/h', A: '1' };
    const environment = readEnvironment(env);
    env.A = '2';
    expect(environment.variables.A).toBe('1');
    expect(Object.isFrozen(environment)).toBe(true);
  });

  it('knows the workspace override, which no tilde expands', () => {
    expect(readEnvironment({ HOME: '/h', OPENCLAW_WORKSPACE_DIR: ' ws ' }, undefined, '/cwd').workspaceDir).toBe(
      '/cwd/ws',
    );
    expect(readEnvironment({ HOME: '/h', OPENCLAW_WORKSPACE_DIR: '~/ws' }, undefined, '/cwd').workspaceDir).toBe(
      '/cwd/~/ws',
    );
    expect(readEnvironment({ HOME: '/h', OPENCLAW_WORKSPACE_DIR: ' ' }).workspaceDir).toBeUndefined();
  });

  it.each([
    [{}, false, undefined],
    [{ CI: 'true' }, true, undefined],
    [{ CI: '1' }, false, undefined],
    [{ OPENCLAW_SESSION_TYPE: 'ci' }, true, 'ci'],
    [{ OPENCLAW_SESSION_TYPE: 'scheduled' }, false, 'scheduled'],
    [{ OPENCLAW_SESSION_TYPE: 'bogus' }, false, undefined],
  ])('reads %j as ci %s and session type %s', (env, ci, sessionType) => {
    expect(readEnvironment({ HOME: '/h', ...env })).toMatchObject({ ci, sessionType });
  });

  it('tells the time zone from TZ when it is one, and lets the configuration overrule it', () => {
    const environment = readEnvironment({ HOME: '/h', TZ: 'Asia/Tokyo' });
    expect(environment.timezone).toBe('Asia/Tokyo');
    expect(readEnvironment({ HOME: '/h', TZ: 'Nowhere/Land' }).timezone).toBe(
      Intl.DateTimeFormat().resolvedOptions().timeZone,
    );
    const zoned = (userTimezone: string) => resolveTimezone({ agents: { defaults: { userTimezone } } }, environment);
    expect(zoned(' Europe/Lisbon ')).toBe('Europe/Lisbon');
    expect(zoned('Mars/Olympus')).toBe('Asia/Tokyo');
    expect(resolveTimezone(undefined, environment)).toBe('Asia/Tokyo');
  });
});
