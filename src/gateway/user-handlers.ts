// Handlers that people bring: modules named in the configuration and hook packs on disk. One that cannot be loaded is
// an absence with the reason, never a crash and never silence.

import { dirname, join } from 'node:path';
import type { Environment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import { resolveUserPath } from '../config/user-path.ts';
import type { Absence } from '../context/composition.ts';
import { formatUnmetNeed } from '../hooks/packs/hook-eligibility.ts';
import { type HookHandlerFile, type LoadedHookHandler, loadHookHandler } from '../hooks/packs/load-hook-handler.ts';
import { DEFAULT_HOOK_PRIORITY, type HookPackFate, loadInternalHooks } from '../hooks/packs/load-internal-hooks.ts';
import type { BootstrapRegistration } from './bootstrap-registry.ts';

export interface UserHandlerSettings {
  readonly config: Config;
  readonly configDir: string;
  readonly environment: Environment;
  readonly workspaceDir: string;
  /** What handlers may import by name: `atrium/context`. Asked for only when there is a handler to load. */
  readonly modules: () => Promise<Readonly<Record<string, unknown>>>;
}

export interface UserHandlers {
  readonly registrations: readonly BootstrapRegistration[];
  readonly absences: readonly Absence[];
  readonly packs: readonly HookPackFate[];
  readonly problems: readonly string[];
}

export async function loadUserHandlers(settings: UserHandlerSettings): Promise<UserHandlers> {
  const { config, environment, workspaceDir, modules } = settings;
  const loadHandler = async (file: HookHandlerFile): Promise<LoadedHookHandler> =>
    loadHookHandler(file, { virtualModules: await modules() });

  const configured = await loadConfiguredHandlers(settings, loadHandler);
  const extraDirs = config.hooks?.internal?.load?.extraDirs ?? [];
  const packs = await loadInternalHooks({
    config,
    policy: 'managed-by-default',
    directories: {
      extraDirs: extraDirs.map((dir) => resolveUserPath(dir, environment.home, environment.cwd)),
      managedDir: join(environment.stateDir, 'hooks'),
      workspaceDir,
    },
    machine: { platform: process.platform, env: environment.variables, path: environment.variables.PATH ?? '' },
    loadHandler,
  });
  const registrations = packs.registrations
    .filter((registration) => registration.events.some((event) => event === 'agent' || event === 'agent:bootstrap'))
    .map(
      (registration): BootstrapRegistration => ({
        id: `hook:${registration.owner}`,
        owner: registration.owner,
        description: registration.description,
        handler: registration.handler,
        ...registration.bootstrap,
      }),
    );
  const failures = packs.failures.map((error) => error.message);
  return {
    registrations: [...configured.registrations, ...registrations],
    absences: [...configured.absences, ...packs.packs.flatMap(packAbsence), ...failures.map(failedHandler)],
    packs: packs.packs,
    problems: [
      ...configured.absences.map((absence) => absence.detail),
      ...failures,
      ...packs.problems.map((problem) => problem.message),
    ],
  };
}

async function loadConfiguredHandlers(
  { config, configDir, environment }: UserHandlerSettings,
  loadHandler: (file: HookHandlerFile) => Promise<LoadedHookHandler>,
): Promise<{ registrations: BootstrapRegistration[]; absences: Absence[] }> {
  const registrations: BootstrapRegistration[] = [];
  const absences: Absence[] = [];
  for (const entry of config.bootstrap?.handlers ?? []) {
    if (entry.enabled === false) {
      absences.push({ what: `handler ${entry.id}`, reason: 'disabled', detail: 'switched off in bootstrap.handlers' });
      continue;
    }
    const path = resolveUserPath(entry.path, environment.home, configDir);
    const loaded = await loadHandler({ hook: entry.id, path, rootDir: dirname(path), exportName: entry.export });
    if (!loaded.ok) {
      absences.push({
        what: `handler ${entry.id}`,
        reason: 'handler-failed',
        detail: loaded.error.message,
        by: entry.id,
      });
      continue;
    }
    const { id, description, stability, onError, timeoutMs, priority = DEFAULT_HOOK_PRIORITY } = entry;
    registrations.push({
      id,
      owner: 'config',
      handler: loaded.handler,
      description,
      stability,
      onError,
      timeoutMs,
      priority,
    });
  }
  return { registrations, absences };
}

function packAbsence(fate: HookPackFate): Absence[] {
  const what = `hook ${fate.pack.name}`;
  const path = fate.pack.hookMdPath;
  switch (fate.kind) {
    case 'loaded':
      return [];
    case 'not-selected':
      return [{ what, path, reason: 'disabled', detail: 'hooks.internal names other hooks only' }];
    case 'ineligible':
      return [{ what, path, reason: 'disabled', detail: fate.unmet.map(formatUnmetNeed).join(' ') }];
    case 'failed':
      return [{ what, path, reason: 'handler-failed', detail: fate.error.message, by: fate.pack.name }];
  }
}

function failedHandler(detail: string): Absence {
  return { what: 'hooks.internal.handlers', reason: 'handler-failed', detail };
}
