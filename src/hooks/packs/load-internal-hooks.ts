// Turns a configuration and some directories into the handlers that may be registered. The result is data: what was
// loaded, and for every other pack the reason why not. It registers nothing and never throws for a bad pack. Handlers
// are loaded one after the other, so their top-level code runs in the same order each time.

import { isAbsolute, resolve } from 'node:path';
import type { AtriumError } from '../../protocol/errors.ts';
import { HookHandlerLoadError, HookHandlerOutsideError, HookWithoutEventsError } from '../errors.ts';
import { isInside } from './contained-file.ts';
import { discoverHooks, type HookDirectories, type HookDiscovery } from './discover-hooks.ts';
import { decideHookEligibility, type HookMachine, type UnmetNeed } from './hook-eligibility.ts';
import { type HookPack, resolveHookKey } from './hook-pack.ts';
import { type HookLoadPolicy, internalHooksConfigured, resolveConfiguredHooks } from './internal-hooks-configured.ts';
import { type HookConfig, readHookEntry, readInternalHooksSection } from './internal-hooks-section.ts';
import type { HookHandlerFile, LoadedHookHandler } from './load-hook-handler.ts';
import type { InternalHookRegistration } from './pack-registration.ts';

/** The place of users' handlers among the bundled ones. */
export const DEFAULT_HOOK_PRIORITY = 150;

export interface InternalHooksInput {
  readonly config: HookConfig;
  readonly policy: HookLoadPolicy;
  readonly directories: HookDirectories;
  readonly machine: HookMachine;
  readonly loadHandler: (file: HookHandlerFile) => Promise<LoadedHookHandler>;
}

export interface InternalHooks {
  readonly registrations: readonly InternalHookRegistration[];
  /** Every pack that was found, with what happened to it. */
  readonly packs: readonly HookPackFate[];
  /** Handlers named by file in the configuration that could not be loaded. */
  readonly failures: readonly AtriumError[];
  readonly ignored: HookDiscovery['ignored'];
  readonly problems: HookDiscovery['problems'];
}

export type HookPackFate =
  | { readonly kind: 'loaded'; readonly pack: HookPack }
  /** The configuration names other hooks, and not this one. */
  | { readonly kind: 'not-selected'; readonly pack: HookPack }
  | { readonly kind: 'ineligible'; readonly pack: HookPack; readonly unmet: readonly UnmetNeed[] }
  | { readonly kind: 'failed'; readonly pack: HookPack; readonly error: AtriumError };

export async function loadInternalHooks(input: InternalHooksInput): Promise<InternalHooks> {
  const { config, directories, machine, loadHandler } = input;
  const selection = resolveConfiguredHooks(config, input.policy);
  if (!selection.configured) return { registrations: [], packs: [], failures: [], ignored: [], problems: [] };
  const { packs, ignored, problems } = await discoverHooks(directories);
  const registrations: InternalHookRegistration[] = [];
  const fates: HookPackFate[] = [];
  const ofBundled = internalHooksConfigured(config);
  for (const pack of packs) {
    // A pack that an operator put there is loaded unless disabled; a bundled pack is loaded only when the configuration
    // asks for it.
    const { names } = pack.source === 'openclaw-bundled' ? ofBundled : selection;
    if (names !== 'ALL' && !names.includes(pack.name)) {
      fates.push({ kind: 'not-selected', pack });
      continue;
    }
    const eligibility = await decideHookEligibility(pack, config, machine);
    if (!eligibility.include) {
      fates.push({ kind: 'ineligible', pack, unmet: eligibility.unmet });
      continue;
    }
    const loaded = await loadPack(pack, config, loadHandler);
    if (loaded.ok) registrations.push(loaded.registration);
    fates.push(loaded.ok ? { kind: 'loaded', pack } : { kind: 'failed', pack, error: loaded.error });
  }
  const failures: AtriumError[] = [];
  for (const [index, handler] of readInternalHooksSection(config).handlers.entries()) {
    const loaded = await loadConfiguredHandler(`handlers[${index}]`, handler, directories.workspaceDir, loadHandler);
    if (loaded.ok) registrations.push(loaded.registration);
    else failures.push(loaded.error);
  }
  return { registrations, packs: fates, failures, ignored, problems };
}

type LoadedRegistration = { ok: true; registration: InternalHookRegistration } | { ok: false; error: AtriumError };

async function loadPack(
  pack: HookPack,
  config: HookConfig,
  loadHandler: InternalHooksInput['loadHandler'],
): Promise<LoadedRegistration> {
  const { metadata } = pack;
  // This is checked before loading, because code of a hook that could never fire should not be run.
  if (!metadata || metadata.events.length === 0) {
    return { ok: false, error: new HookWithoutEventsError({ hook: pack.name, path: pack.hookMdPath }) };
  }
  const loaded = await loadHandler({
    hook: pack.name,
    path: pack.handlerPath,
    rootDir: pack.dir,
    exportName: metadata.export,
    isBundled: pack.source === 'openclaw-bundled',
    isInline: readHookEntry(readInternalHooksSection(config), resolveHookKey(pack))?.isInline,
  });
  if (!loaded.ok) return loaded;
  const { priority = DEFAULT_HOOK_PRIORITY, stability, onError, timeoutMs } = metadata;
  const registration: InternalHookRegistration = {
    events: metadata.events,
    handler: loaded.handler,
    suspension: loaded.suspension,
    isHeldUp: loaded.isHeldUp,
    owner: pack.name,
    source: pack.source,
    description: pack.description,
    bootstrap: { priority, stability, onError, timeoutMs },
  };
  return { ok: true, registration };
}

/**
 * The older form, `hooks.internal.handlers`: a file in the workspace, relative to it, and the event that it listens to.
 */
async function loadConfiguredHandler(
  owner: string,
  configured: unknown,
  workspaceDir: string | undefined,
  loadHandler: InternalHooksInput['loadHandler'],
): Promise<LoadedRegistration> {
  const fields = typeof configured === 'object' && configured !== null ? (configured as Record<string, unknown>) : {};
  const event = typeof fields.event === 'string' ? fields.event.trim() : '';
  const module = typeof fields.module === 'string' ? fields.module.trim() : '';
  if (workspaceDir === undefined || event === '' || module === '') {
    const reason = workspaceDir === undefined ? 'there is no workspace' : 'it needs both "event" and "module"';
    return { ok: false, error: new HookHandlerLoadError({ hook: owner, path: module || '(no module)', reason }) };
  }
  const path = resolve(workspaceDir, module);
  if (isAbsolute(module) || !isInside(workspaceDir, path)) {
    return { ok: false, error: new HookHandlerOutsideError({ hook: owner, path: module, rootDir: workspaceDir }) };
  }
  const exportName = typeof fields.export === 'string' && fields.export !== '' ? fields.export : undefined;
  const isInline = fields.isolation === 'inline';
  const loaded = await loadHandler({
    hook: owner,
    noun: 'handler',
    path,
    rootDir: workspaceDir,
    exportName,
    isInline,
  });
  if (!loaded.ok) return loaded;
  const registration: InternalHookRegistration = {
    events: [event],
    handler: loaded.handler,
    suspension: loaded.suspension,
    isHeldUp: loaded.isHeldUp,
    owner,
    source: 'config',
    description: module,
    bootstrap: { priority: DEFAULT_HOOK_PRIORITY },
  };
  return { ok: true, registration };
}
