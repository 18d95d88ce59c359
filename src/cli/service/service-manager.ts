// The program of the system that runs services of a user: where its file is, how it is written, and the commands that switch
// it on and off. A row each; the commands of `atrium service` know no other difference.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import { launchdLabel, launchdPlist } from './launchd-plist.ts';
import type { ServicePlan } from './service-plan.ts';
import { systemdUnit } from './systemd-unit.ts';

export interface ServiceManager {
  readonly id: 'systemd' | 'launchd';
  file(name: string, environment: Environment): string;
  format(plan: ServicePlan): string;
  /** Run one after the other once the file is written. */
  enable(name: string, file: string): readonly Call[];
  /** Run before the file is removed. */
  disable(name: string, file: string): readonly Call[];
  /** Run after the file is removed. */
  readonly forget: readonly Call[];
  /** Ends with code 0 while the service runs. */
  isActive(name: string): Call;
  /** What a person may want to know besides. */
  readonly hint: string | undefined;
}

export type Call = readonly [program: string, ...args: string[]];

const systemctl = (...args: string[]): Call => ['systemctl', '--user', ...args];
const domain = `gui/${process.getuid?.() ?? 0}`;

export const SERVICE_MANAGERS: Readonly<Record<ServiceManager['id'], ServiceManager>> = {
  systemd: {
    id: 'systemd',
    file: (name, { variables, home }) =>
      join(variables.XDG_CONFIG_HOME || join(home, '.config'), 'systemd', 'user', `${name}.service`),
    format: systemdUnit,
    enable: (name) => [systemctl('daemon-reload'), systemctl('enable', name), systemctl('restart', name)],
    disable: (name) => [systemctl('disable', '--now', name)],
    forget: [systemctl('daemon-reload')],
    isActive: (name) => systemctl('is-active', '--quiet', name),
    hint: 'It runs while you are logged in. To let it run from the start of the machine on: loginctl enable-linger',
  },
  launchd: {
    id: 'launchd',
    file: (name, { home }) => join(home, 'Library', 'LaunchAgents', `${launchdLabel(name)}.plist`),
    format: launchdPlist,
    enable: (_name, file) => [['launchctl', 'bootstrap', domain, file]],
    disable: (name) => [['launchctl', 'bootout', `${domain}/${launchdLabel(name)}`]],
    forget: [],
    isActive: (name) => ['launchctl', 'print', `${domain}/${launchdLabel(name)}`],
    hint: undefined,
  },
};

export function managerOfThisSystem(): ServiceManager['id'] | undefined {
  if (process.platform === 'darwin') return 'launchd';
  return process.platform === 'linux' ? 'systemd' : undefined;
}

/** Undefined when it succeeded, else why it did not. */
export async function callManager([program, ...args]: Call, environment: Environment): Promise<string | undefined> {
  const child = spawn(program, args, {
    env: environment.variables,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 120_000,
  });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err = (err + text).slice(0, 2_000);
  });
  return new Promise((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ENOENT' ? `there is no program "${program}"` : error.message),
    );
    child.once('close', (code, signal) =>
      resolve(code === 0 ? undefined : err.trim().split('\n')[0] || `it ended with ${code ?? signal}`),
    );
  });
}
