import { describeUnknownEvents } from '../hooks/packs/unknown-events.ts';
// Handlers that people bring: modules named in the configuration and hook packs on disk. One that cannot be loaded is
// an absence with the reason, never a crash and never silence.

import { dirname, join } from 'node:path';
import type { Environment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import { resolveUserPath } from '../config/user-path.ts';
import type { Absence } from '../context/composition.ts';
import { discoverHooks, type HookDirectories, type HookDiscovery } from '../hooks/packs/discover-hooks.ts';
import { formatUnmetNeed } from '../hooks/packs/hook-eligibility.ts';
import { type HookHandlerFile, type LoadedHookHandler, loadHookHandler } from '../hooks/packs/load-hook-handler.ts';
import {
  DEFAULT_HOOK_PRIORITY,
  type HookPackFate,
  type InternalHooks,
  loadInternalHooks,
} from '../hooks/packs/load-internal-hooks.ts';
import type { InternalHookRegistration } from '../hooks/packs/trigger-internal-hook.ts';
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
  /** Whoever listens to events that have no row in the hook catalog. */
  readonly listeners: readonly InternalHookRegistration[];
  /** A sentence each, with the file that is to be mended. */
  readonly problems: readonly string[];
}

export async function loadUserHandlers(settings: UserHandlerSettings): Promise<UserHandlers> {
  const { modules } = settings;
  const loadHandler = async (file: HookHandlerFile): Promise<LoadedHookHandler> =>
    loadHookHandler(file, { virtualModules: await modules() });

  const configured = await loadConfiguredHandlers(settings, loadHandler);
  const packs = await loadPacks(settings, loadHandler);
  const failures = packs.failures.map((error) => error.message);
  return {
    registrations: [...configured.registrations, ...packs.registrations.flatMap(bootstrapRegistration)],
    absences: [
      ...configured.absences,
      ...packs.packs.flatMap(packAbsence),
      ...packs.ignored.map(ignoredAbsence),
      ...packs.problems.map(
        ({ path, message }): Absence => ({ what: `hook ${path}`, reason: 'handler-failed', detail: message }),
      ),
      ...packs.packs.flatMap(unfiredAbsence),
      ...failures.map(failedHandler),
    ],
    packs: packs.packs,
    listeners: packs.registrations,
    problems: [
      ...configured.absences.filter(({ reason }) => reason !== 'disabled').map(({ detail }) => detail),
      ...failures,
      ...packs.ignored.map(describeCollision),
      ...packs.problems.map(({ path, message }) => `${path}: ${message}${/[.?!]$/.test(message) ? '' : '.'}`),
    ],
  };
}

/** Where the packs of an agent may lie. */
export function hookDirectoriesOf({
  config,
  environment,
  workspaceDir,
}: Pick<UserHandlerSettings, 'config' | 'environment' | 'workspaceDir'>): HookDirectories {
  const extraDirs = config.hooks?.internal?.load?.extraDirs ?? [];
  return {
    extraDirs: extraDirs.map((dir) => resolveUserPath(dir, environment.home, environment.cwd)),
    managedDir: join(environment.stateDir, 'hooks'),
    workspaceDir,
  };
}

async function loadPacks(
  settings: UserHandlerSettings,
  loadHandler: (file: HookHandlerFile) => Promise<LoadedHookHandler>,
): Promise<InternalHooks> {
  const { config, environment } = settings;
  const directories = hookDirectoriesOf(settings);
  if (config.hooks?.internal?.enabled === false) {
    // Nothing may load, yet whoever looks for a pack should hear why it is not there.
    const { packs } = await discoverHooks(directories);
    const fates = packs.map((pack): HookPackFate => ({ kind: 'not-selected', pack }));
    return { registrations: [], packs: fates, failures: [], ignored: [], problems: [] };
  }
  return loadInternalHooks({
    config,
    policy: 'managed-by-default',
    directories,
    machine: { platform: process.platform, env: environment.variables, path: environment.variables.PATH ?? '' },
    loadHandler,
  });
}

/** One registration however many of its events mean this hook; none for a pack that listens to other events only. */
function bootstrapRegistration(registration: InternalHooks['registrations'][number]): BootstrapRegistration[] {
  if (!registration.events.some((event) => event === 'agent' || event === 'agent:bootstrap')) return [];
  const { owner, description, handler, bootstrap } = registration;
  return [{ id: `hook:${owner}`, owner, description, handler, ...bootstrap }];
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
      return [{ what, path, reason: 'disabled', detail: 'hooks.internal.enabled is false' }];
    case 'ineligible':
      return [{ what, path, reason: 'disabled', detail: fate.unmet.map(formatUnmetNeed).join(' ') }];
    case 'failed':
      return [{ what, path, reason: 'handler-failed', detail: fate.error.message, by: fate.pack.name }];
  }
}

function failedHandler(detail: string): Absence {
  return { what: 'hooks.internal.handlers', reason: 'handler-failed', detail };
}

function ignoredAbsence(collision: HookDiscovery['ignored'][number]): Absence {
  const { name, hookMdPath } = collision.ignored;
  return { what: `hook ${name}`, path: hookMdPath, reason: 'disabled', detail: describeCollision(collision) };
}

function describeCollision({ kept, ignored }: HookDiscovery['ignored'][number]): string {
  return `The hook "${kept.name}" is there twice: ${kept.dir} counts, ${ignored.dir} is ignored. Rename or remove one of them.`;
}

/** A pack that waits for an event that nothing fires looks healthy and never runs, so it is named. */
function unfiredAbsence({ kind, pack }: HookPackFate): Absence[] {
  if (kind !== 'loaded') return [];
  const what = `hook ${pack.name}`;
  return describeUnknownEvents(pack).map((detail) => ({
    what,
    path: pack.hookMdPath,
    reason: 'handler-failed',
    detail,
  }));
}
