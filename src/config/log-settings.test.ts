import { expect, it } from 'vitest';
import { ScratchHome } from '../testkit/scratch-home.ts';
import { readEnvironment } from './environment.ts';
import { loadConfig } from './load-config.ts';
import { logSettingsOf } from './log-settings.ts';

const PLACE = { stateDir: '/state', home: '/home/ana', cwd: '/work' };
const fileOf = (config: object) => logSettingsOf(PLACE, config).file;

it('writes its log into its own file, never into that of OpenClaw', () => {
  const meta = { lastTouchedVersion: '2026.5.19' };
  expect(fileOf({})).toBe('/state/logs/atrium.log');
  expect(fileOf({ meta })).toBe('/state/logs/atrium.log');
  expect(fileOf({ logging: { file: '~/mine.log' } })).toBe('/home/ana/mine.log');
  expect(fileOf({ meta, logging: { file: '/tmp/openclaw/openclaw.log' } })).toBe('/tmp/openclaw/openclaw.atrium.log');
  expect(fileOf({ meta, logging: { file: '/var/log/atrium.log' } })).toBe('/var/log/atrium.log');
  expect(fileOf({ logging: { file: '/tmp/openclaw/openclaw-2026.log' } })).toBe(
    '/tmp/openclaw/openclaw-2026.atrium.log',
  );
});

it('leaves the file to OpenClaw in a home where OpenClaw has worked, and config check names it', async () => {
  const home = await ScratchHome.create();
  try {
    const named = async () => {
      const environment = readEnvironment({}, () => home.home, home.home);
      const { config, unused } = await loadConfig({ environment });
      return [logSettingsOf(environment, config).file, unused.some(({ path }) => path === 'logging.file')];
    };
    await home.write('openclaw.json', '{ logging: { file: "/var/log/agents.log" } }');
    expect(await named()).toEqual(['/var/log/agents.log', false]);
    await home.write('agents/main/sessions/sessions.json', '{}');
    expect(await named()).toEqual(['/var/log/agents.atrium.log', true]);
  } finally {
    await home.remove();
  }
});
