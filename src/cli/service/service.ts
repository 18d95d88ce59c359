// `atrium service`: the gateway as a service of this user, which the system starts and restarts. Only a file that carries our
// mark is replaced or removed.

import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import { loadConfig } from '../../config/load-config.ts';
import { resolveUserPath } from '../../config/user-path.ts';
import { docsCommand } from '../../protocol/documents.ts';
import { type CliCommand, command } from '../command.ts';
import { ForeignServiceError, NoServiceManagerError, ServiceCallError } from '../errors.ts';
import { line } from '../output/text.ts';
import { callManager, managerOfThisSystem, SERVICE_MANAGERS, type ServiceManager } from './service-manager.ts';
import { MARK, planService, type ServicePlan } from './service-plan.ts';

const FOR_OPTION = {
  '--for <manager>': { text: 'systemd or launchd (default: the one of this system)', choices: ['systemd', 'launchd'] },
} as const;

export const SERVICE_COMMANDS: readonly CliCommand[] = [
  command({
    path: 'service install',
    summary: 'let the system run the gateway: from login on, and again when it fails',
    options: {
      '--dry-run': 'print the file and write nothing',
      '--env-file <file>': 'a file with further variables (NAME=value), for systemd',
      ...FOR_OPTION,
    },
    examples: ['service install --dry-run', 'service install', 'service install --env-file ~/.config/atrium.env'],
    notes: `No key is written into the file: put keys into <state>/.env, which every gateway reads. Run it again after Node or Atrium moved. See "${docsCommand('service')}".`,
    async run({ dryRun, envFile, for: given }, { io: { environment }, say }) {
      const manager = managerFor(given);
      const plan = await planHere(environment, envFile);
      const file = manager.file(plan.name, environment);
      const text = manager.format(plan);
      if (dryRun) return { json: { file, text }, text };
      const steps = await installService(manager, plan, environment);
      say(`Wrote ${file}.`);
      return {
        json: { file, isActive: true },
        text: [...steps, ...(manager.hint ? [manager.hint] : [])].map(line).join(''),
        warnings: keysOfThisShell(environment),
      };
    },
  }),
  command({
    path: 'service uninstall',
    summary: 'stop the service and remove its file; conversations and settings stay',
    options: FOR_OPTION,
    examples: ['service uninstall'],
    notes: 'A file that "service install" did not write is left alone. Exit code: 0, also when there is none.',
    async run({ for: given }, { io: { environment } }) {
      const manager = managerFor(given);
      const name = nameOf(environment);
      const file = manager.file(name, environment);
      if ((await readOwn(file)) === undefined)
        return { json: { file, wasInstalled: false }, text: line(`There is no service: ${file} does not exist.`) };
      // A service that cannot be stopped may not run at all; its file is ours all the same.
      const problems: string[] = [];
      for (const call of manager.disable(name, file)) {
        const problem = await callManager(call, environment);
        if (problem !== undefined) problems.push(`"${call.join(' ')}" failed: ${problem}.`);
      }
      await rm(file);
      for (const call of manager.forget) await callManager(call, environment);
      return {
        json: { file, wasInstalled: true, problems },
        text: line(`Removed ${file}.`),
        warnings: problems,
        ok: problems.length === 0,
      };
    },
  }),
  command({
    path: 'service status',
    summary: 'say whether the service is installed, up to date and running',
    options: FOR_OPTION,
    examples: ['service status', 'service status --json'],
    notes: 'Exit code: 1 when it is not installed, is out of date, or does not run.',
    async run({ for: given }, { io: { environment } }) {
      const manager = managerFor(given);
      const plan = await planHere(environment, undefined);
      const file = manager.file(plan.name, environment);
      const written = await readOwn(file);
      if (written === undefined)
        return {
          json: { file, isInstalled: false, isCurrent: false, isActive: false },
          text: line('There is no service. Install one with: atrium service install'),
          ok: false,
        };
      const isCurrent = programLine(written) === programLine(manager.format(plan));
      const problem = await callManager(manager.isActive(plan.name), environment);
      const isActive = problem === undefined;
      const sentences = [
        `The service "${plan.name}" is installed (${file}) and ${isActive ? 'runs' : 'does not run'}.`,
        ...(isCurrent
          ? []
          : ['It runs another program than this one. Bring it up to date with: atrium service install']),
        ...(isActive || manager.id !== 'systemd' ? [] : [`Why: journalctl --user -u ${plan.name} -n 50`]),
      ];
      return {
        json: { file, isInstalled: true, isCurrent, isActive },
        text: sentences.map(line).join(''),
        ok: isCurrent && isActive,
      };
    },
  }),
];

/** Writes the file and switches the service on. Returns what was done, in sentences. */
export async function installService(
  manager: ServiceManager,
  plan: ServicePlan,
  environment: Environment,
): Promise<readonly string[]> {
  const file = manager.file(plan.name, environment);
  await readOwn(file);
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, manager.format(plan), { mode: 0o600 });
  await rename(draft, file);
  for (const call of manager.enable(plan.name, file)) {
    const problem = await callManager(call, environment);
    if (problem !== undefined) throw new ServiceCallError({ file, call: call.join(' '), problem });
  }
  return [`The service "${plan.name}" is installed and started.`];
}

export async function planHere(environment: Environment, envFile: string | undefined): Promise<ServicePlan> {
  const { config } = await loadConfig({ environment });
  return planService(environment, {
    envFile: envFile === undefined ? undefined : resolveUserPath(envFile, environment.home, environment.cwd),
    drainSeconds: config.gateway?.drainSeconds ?? 20,
  });
}

export function managerFor(given: ServiceManager['id'] | undefined): ServiceManager {
  const id = given ?? managerOfThisSystem();
  if (id === undefined) throw new NoServiceManagerError({ system: process.platform });
  return SERVICE_MANAGERS[id];
}

function nameOf({ profile }: Environment): string {
  return profile === undefined ? 'atrium' : `atrium-${profile}`;
}

/** The text of our file; undefined when there is none. Rejects when somebody else wrote it. */
async function readOwn(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text !== undefined && !text.slice(0, 400).includes(MARK)) throw new ForeignServiceError({ file });
  return text;
}

function programLine(text: string): string | undefined {
  return /^ExecStart=.*$|<array>[\s\S]*?<\/array>/m.exec(text)?.[0];
}

/** Keys that only this shell has: a service does not see them. */
export function keysOfThisShell({ variables, origins, stateDir }: Environment): readonly string[] {
  const names = Object.keys(variables).filter(
    (name) => /(?:_API_KEY|_TOKEN)$/.test(name) && variables[name] && !origins.has(name) && !/^npm_/i.test(name),
  );
  if (names.length === 0) return [];
  const verb = names.length === 1 ? 'is set in this shell only' : 'are set in this shell only';
  return [
    `${names.sort().join(', ')} ${verb}, and a service does not see that. If the gateway needs it, write NAME=value into ${stateDir}/.env (chmod 600).`,
  ];
}
