// The unit is checked by systemd itself where it is installed. No service manager runs in a test, so a program stands in for
// systemctl that writes down what it was asked.

import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readEnvironment } from '../../config/environment.ts';
import { CliHome } from '../fixtures/cli-home.ts';
import { launchdPlist } from './launchd-plist.ts';
import type { ServicePlan } from './service-plan.ts';
import { systemdUnit } from './systemd-unit.ts';

let home: CliHome;
let env: Record<string, string | undefined>;
beforeEach(async () => {
  home = await CliHome.create();
  const bin = join(home.home, 'bin');
  await mkdir(bin);
  await writeFile(
    join(bin, 'systemctl'),
    `#!/bin/sh\necho "$@" >> "$HOME/asked"\nexit "$(cat "$HOME/fails" 2>/dev/null || echo 0)"\n`,
  );
  await chmod(join(bin, 'systemctl'), 0o755);
  env = { PATH: `${bin}:${readEnvironment().variables.PATH}` };
});
afterEach(() => home.remove());

const service = (...argv: readonly string[]) => home.run(['service', ...argv, '--for', 'systemd'], { env });
const unitFile = (name = 'atrium') => join(home.home, '.config/systemd/user', `${name}.service`);
const asked = async () => (await readFile(join(home.home, 'asked'), 'utf8').catch(() => '')).trim().split('\n');
const isThere = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  );

it('prints the file with --dry-run, and writes nothing', async () => {
  const { code, out } = await service('install', '--dry-run');
  expect(code).toBe(0);
  expect(out).toContain(`ExecStart="${process.execPath}" "${join(process.cwd(), 'dist/cli/main.js')}" "start"`);
  expect(out).toContain('Restart=on-failure');
  expect(await isThere(unitFile())).toBe(false);
  expect(await asked()).toEqual(['']);
});

it('installs, says how it is, and removes what it wrote', async () => {
  expect((await service('status')).code).toBe(1);
  const installed = await service('install');
  expect(installed).toMatchObject({ code: 0 });
  expect(installed.out).toContain('The service "atrium" is installed and started.');
  expect((await stat(unitFile())).mode & 0o777).toBe(0o600);
  expect(await asked()).toEqual(['--user daemon-reload', '--user enable atrium', '--user restart atrium']);
  expect(await home.run(['service', 'status', '--for', 'systemd', '--json'], { env })).toMatchObject({ code: 0 });
  await writeFile(join(home.home, 'fails'), '3');
  expect((await service('status')).out).toContain('does not run');
  await writeFile(join(home.home, 'fails'), '0');
  expect((await service('uninstall')).out).toBe(`Removed ${unitFile()}.\n`);
  expect(await isThere(unitFile())).toBe(false);
  expect((await asked()).slice(-2)).toEqual(['--user disable --now atrium', '--user daemon-reload']);
  expect((await service('uninstall')).code).toBe(0);
});

it('leaves a file alone that it did not write', async () => {
  await mkdir(join(home.home, '.config/systemd/user'), { recursive: true });
  await writeFile(unitFile(), '[Service]\nExecStart=/bin/true\n');
  for (const word of ['install', 'uninstall', 'status']) {
    expect(await service(word)).toMatchObject({ code: 2, err: expect.stringContaining('is left alone') });
  }
  expect(await readFile(unitFile(), 'utf8')).toBe('[Service]\nExecStart=/bin/true\n');
  expect(await asked()).toEqual(['']);
});

it('writes no key, and says where a key of this shell belongs', async () => {
  env = { ...env, ANTHROPIC_API_KEY: 'sk-hidden-in-the-shell', OPENCLAW_STATE_DIR: join(home.home, 'state') };
  const { err } = await service('install');
  expect(err).toContain('ANTHROPIC_API_KEY is set in this shell only');
  expect(err).toContain(join(home.home, 'state/.env'));
  const unit = await readFile(unitFile(), 'utf8');
  expect(unit).not.toContain('sk-hidden');
  expect(unit).toContain(`Environment="OPENCLAW_STATE_DIR=${join(home.home, 'state')}"`);
});

it('says what to do where no service manager answers', async () => {
  await writeFile(join(home.home, 'fails'), '1');
  expect(await service('install')).toMatchObject({
    code: 2,
    err: expect.stringContaining('is written, but "systemctl --user daemon-reload" failed'),
  });
});

it('has a service of its own for each profile', async () => {
  await home.run(['--profile', 'work', 'service', 'install', '--for', 'systemd'], { env });
  expect(await isThere(unitFile('atrium-work'))).toBe(true);
  expect(await readFile(unitFile('atrium-work'), 'utf8')).toContain('OPENCLAW_PROFILE=work');
});

const PLAN: ServicePlan = {
  name: 'atrium',
  program: [process.execPath, '/home/a person/50% "done" $HOME/<main>&.js', 'start'],
  variables: { PATH: '/usr/bin:/home/a person/bin', OPENCLAW_HOME: '/srv/100%\nExecStartPre=/bin/false' },
  stateDir: '/srv/state',
  envFile: '/home/a person/atrium.env',
  stopSeconds: 45,
};

const hasVerify = spawnSync('systemd-analyze', ['--version']).status === 0;

it.skipIf(!hasVerify)('is a unit that systemd accepts, whatever the paths contain', async () => {
  const verify = async (text: string) => {
    const file = join(home.home, 'atrium.service');
    await writeFile(file, text);
    const { PATH } = readEnvironment().variables;
    const runtime = join(home.home, 'runtime');
    await mkdir(runtime, { recursive: true, mode: 0o700 });
    return spawnSync('systemd-analyze', ['verify', '--user', '--man=no', file], {
      env: { PATH, HOME: home.home, XDG_RUNTIME_DIR: runtime },
      encoding: 'utf8',
    });
  };
  // Versions before 254 do not know how pauses grow, which is a warning there.
  const complaints = (err: string) =>
    err.split('\n').filter((each) => each.includes('atrium.service') && !/RestartSteps|RestartMaxDelaySec/.test(each));
  const { out } = await service('install', '--dry-run');
  for (const text of [out, systemdUnit(PLAN)]) {
    const { status, stderr } = await verify(text);
    expect({ status, complaints: complaints(stderr) }).toEqual({ status: 0, complaints: [] });
  }
  const broken = await verify(out.replace('Restart=on-failure', 'Restart=sometimes'));
  expect(complaints(broken.stderr)).not.toEqual([]);
});

it('lets no path become a setting or markup', () => {
  expect(systemdUnit(PLAN)).not.toMatch(/^ExecStartPre/m);
  expect(systemdUnit(PLAN)).toContain('50%% \\"done\\" $$HOME');
  expect(launchdPlist(PLAN)).toContain('50% "done" $HOME/&lt;main&gt;&amp;.js');
});

it('writes the file of launchd for macOS', async () => {
  const { out } = await home.run(['service', 'install', '--dry-run', '--for', 'launchd'], { env });
  expect(out).toContain('<key>Label</key><string>local.atrium</string>');
  expect(out).toContain('<string>start</string>');
});
