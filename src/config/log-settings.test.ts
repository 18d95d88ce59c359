import { expect, it } from 'vitest';
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
});
