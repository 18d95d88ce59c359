// Handlers of users: modules named in the configuration and hook packs on disk. A handler that cannot be loaded becomes
// an absence with the reason; it never stops the gateway and is never ignored.

import { dirname, join } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import { resolveUserPath } from '../../config/user-path.ts';
import type { Absence } from '../../context/composition.ts';
import { listBundledPacks } from '../../hooks/bundled/bundled-packs.ts';
import { BUNDLED_DIR } from '../../hooks/bundled-dir.ts';
import { discoverHooks, type HookDirectories, type HookDiscovery } from '../../hooks/packs/discover-hooks.ts';
import { formatUnmetNeed } from '../../hooks/packs/hook-eligibility.ts';
import { internalHooksConfigured } from '../../hooks/packs/internal-hooks-configured.ts';
import type { HookHandlerFile, LoadedHookHandler } from '../../hooks/packs/load-hook-handler.ts';
import {
  DEFAULT_HOOK_PRIORITY,
  type HookPackFate,
  type InternalHooks,
  loadInternalHooks,
} from '../../hooks/packs/load-internal-hooks.ts';
import { handlerIdOf, type InternalHookRegistration } from '../../hooks/packs/pack-registration.ts';
import { describeUnknownEvents } from '../../hooks/packs/unknown-events.ts';
import { type PluginInternalHook, pluginInternalHooks } from '../plugins/plugin-internal-hooks.ts';
import type { BootstrapRegistration } from './bootstrap-registry.ts';
import { closedHandler } from './closed-handler.ts';
import type { HandlerFiles } from './handler-files.ts';

export interface UserHandlerSettings {
  readonly config: Config;
  readonly configDir: string;
  readonly environment: Environment;
  readonly workspaceDir: string;
  readonly handlers: Pick<HandlerFiles, 'load'>;
  /** Handlers that plugins have registered for events of hook packs. */
  readonly pluginHooks?: readonly PluginInternalHook[] | undefined;
  /** Folders with hook packs that belong to plugins. */
  readonly pluginHookDirs?: HookDirectories['pluginDirs'] | undefined;
  /** Plugins that the operator does not allow to add to prompts; their packs may not either. */
  readonly promptless?: ReadonlySet<string> | undefined;
}

export interface UserHandlers {
  readonly registrations: readonly BootstrapRegistration[];
  readonly absences: readonly Absence[];
  readonly packs: readonly HookPackFate[];
  /** Packs and plugins with the events that they listen to. */
  readonly listeners: readonly InternalHookRegistration[];
  /** One sentence each, with the file that has to be fixed. */
  readonly problems: readonly string[];
}

export async function loadUserHandlers(settings: UserHandlerSettings): Promise<UserHandlers> {
  const { handlers, promptless = new Set() } = settings;
  const loadHandler = (file: HookHandlerFile) => handlers.load(file);
  const configured = await loadConfiguredHandlers(settings, loadHandler);
  const packs = await loadPacks(settings, loadHandler);
  const failures = packs.failures.map((error) => error.message);
  const listeners = [...packs.registrations, ...pluginInternalHooks(settings.pluginHooks ?? [])];
  const ofPlugins = new Map(packs.packs.map(({ pack }) => [pack.name, pack.pluginId]));
  // A plugin's own handler has a name besides its owner's; a pack's owner is its name.
  const isKeptOut = ({ source, owner, name }: InternalHookRegistration) =>
    source === 'openclaw-plugin' && promptless.has((name === undefined ? ofPlugins.get(owner) : owner) ?? '');
  return {
    registrations: [
      ...configured.registrations,
      ...listeners.filter((each) => !isKeptOut(each)).flatMap(bootstrapRegistration),
      ...packs.packs.flatMap(closedPack),
    ],
    absences: [
      ...configured.absences,
      ...packs.packs.flatMap(packAbsence),
      ...packs.ignored.map(ignoredAbsence),
      ...packs.problems.map(
        ({ path, message }): Absence => ({ what: `hook ${path}`, reason: 'handler-failed', detail: message }),
      ),
      ...packs.packs.flatMap(unfiredAbsence),
      ...listeners.filter(isKeptOut).flatMap(keptOutAbsence),
      ...failures.map(failedHandler),
    ],
    packs: packs.packs,
    listeners,
    problems: [
      ...configured.absences.filter(({ reason }) => reason !== 'disabled').map(({ detail }) => detail),
      ...failures,
      ...packs.ignored.map(describeCollision),
      ...packs.problems.map(({ path, message }) => `${path}: ${message}${/[.?!]$/.test(message) ? '' : '.'}`),
    ],
  };
}

/** The folders in which the packs of an agent may lie. */
export function hookDirectoriesOf({
  config,
  environment,
  workspaceDir,
  pluginHookDirs,
}: Pick<UserHandlerSettings, 'config' | 'environment' | 'workspaceDir' | 'pluginHookDirs'>): HookDirectories {
  const extraDirs = config.hooks?.internal?.load?.extraDirs ?? [];
  return {
    extraDirs: extraDirs.map((dir) => resolveUserPath(dir, environment.home, environment.cwd)),
    bundledDir: BUNDLED_DIR,
    pluginDirs: pluginHookDirs,
    managedDir: join(environment.stateDir, 'hooks'),
    workspaceDir,
  };
}

async function loadPacks(
  settings: UserHandlerSettings,
  loadHandler: (file: HookHandlerFile) => Promise<LoadedHookHandler>,
): Promise<InternalHooks> {
  const { config } = settings;
  const isAsked = internalHooksConfigured(config).configured;
  const { bundledDir, ...others } = hookDirectoriesOf(settings);
  const directories = isAsked ? { bundledDir, ...others } : others;
  const loaded = await loadFrom(settings, directories, loadHandler);
  if (isAsked) return loaded;
  const names = new Set(loaded.packs.map(({ pack }) => pack.name));
  const resting = listBundledPacks(BUNDLED_DIR).filter(({ name }) => !names.has(name));
  return {
    ...loaded,
    packs: [...loaded.packs, ...resting.map((pack): HookPackFate => ({ kind: 'not-selected', pack }))],
  };
}

async function loadFrom(
  { config, environment }: UserHandlerSettings,
  directories: HookDirectories,
  loadHandler: (file: HookHandlerFile) => Promise<LoadedHookHandler>,
): Promise<InternalHooks> {
  if (config.hooks?.internal?.enabled === false) {
    // No pack may be loaded, but an operator who looks for one should read why it is not there.
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

/**
 * One registration, even when several of its events mean this hook; none for a pack that listens only to other events.
 */
function bootstrapRegistration(registration: InternalHooks['registrations'][number]): BootstrapRegistration[] {
  if (!registration.events.some(isBootstrapEvent)) return [];
  const { owner, description, handler, suspension, isHeldUp, bootstrap } = registration;
  return [{ id: handlerIdOf(registration), owner, description, handler, suspension, isHeldUp, ...bootstrap }];
}

/** A pack that is set to abort and could not be loaded. */
function closedPack(fate: HookPackFate): BootstrapRegistration[] {
  const { events = [], onError } = fate.pack.metadata ?? {};
  if (fate.kind !== 'failed' || onError !== 'abort' || !events.some(isBootstrapEvent)) return [];
  return [closedHandler(handlerIdOf({ owner: fate.pack.name }), fate.error.message)];
}

function isBootstrapEvent(event: string): boolean {
  return event === 'agent' || event === 'agent:bootstrap';
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
    const loaded = await loadHandler({
      hook: entry.id,
      noun: 'handler',
      path,
      rootDir: dirname(path),
      exportName: entry.export,
      isInline: entry.isolation === 'inline',
    });
    if (!loaded.ok) {
      absences.push({
        what: `handler ${entry.id}`,
        reason: 'handler-failed',
        detail: loaded.error.message,
        by: entry.id,
      });
      if (entry.onError === 'abort') registrations.push(closedHandler(entry.id, loaded.error.message));
      continue;
    }
    const { id, description, stability, onError, timeoutMs, priority = DEFAULT_HOOK_PRIORITY } = entry;
    registrations.push({
      id,
      owner: 'config',
      handler: loaded.handler,
      suspension: loaded.suspension,
      isHeldUp: loaded.isHeldUp,
      description,
      stability,
      onError,
      timeoutMs,
      priority,
    });
  }
  return { registrations, absences };
}

function keptOutAbsence(registration: InternalHookRegistration): Absence[] {
  const detail = 'allowPromptInjection of its plugin is false';
  return bootstrapRegistration(registration).map(({ id, owner }) => ({
    what: `handler ${id}`,
    reason: 'disabled',
    detail,
    by: owner,
  }));
}

function packAbsence(fate: HookPackFate): Absence[] {
  const what = `hook ${fate.pack.name}`;
  const path = fate.pack.hookMdPath;
  switch (fate.kind) {
    case 'loaded':
      return [];
    case 'not-selected':
      // A bundled pack that was not asked for does not count as absent.
      if (fate.pack.source === 'openclaw-bundled') return [];
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

/** A pack that waits for an event that is never fired looks healthy but never runs, so it is reported. */
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
