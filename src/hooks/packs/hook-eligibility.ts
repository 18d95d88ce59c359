// Decides whether a pack may run here. The operator's setting (enablement) comes first, then the pack's own needs:
// platform, programs, environment variables, configuration. Every unmet need is named, not only the first. Facts about
// the machine are handed in.

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import type { MachineNeeds } from './hook-metadata.ts';
import { type HookPack, resolveHookKey } from './hook-pack.ts';
import {
  type HookConfig,
  type HookEntryConfig,
  readHookEntry,
  readInternalHooksSection,
} from './internal-hooks-section.ts';

export interface HookMachine {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The search path for programs, as in PATH. */
  readonly path: string;
  /** Platforms of connected machines on which a pack may do its work. */
  readonly remotePlatforms?: readonly string[] | undefined;
}

export interface HookEnableState {
  readonly enabled: boolean;
  readonly reason?: 'disabled in config' | 'workspace hook (disabled by default)';
}

export type UnmetNeed =
  | { readonly code: 'disabled'; readonly reason: string; readonly key: string }
  | { readonly code: 'os'; readonly platform: string; readonly accepted: readonly string[] }
  | { readonly code: 'bins'; readonly missing: readonly string[] }
  | { readonly code: 'any-bins'; readonly missing: readonly string[] }
  | { readonly code: 'env'; readonly missing: readonly string[] }
  | { readonly code: 'config'; readonly missing: readonly string[] };

export interface HookEligibility {
  readonly include: boolean;
  readonly enableState: HookEnableState;
  /** Empty exactly when `include` is true. */
  readonly unmet: readonly UnmetNeed[];
}

export async function decideHookEligibility(
  pack: Pick<HookPack, 'name' | 'source' | 'metadata'>,
  config: HookConfig,
  machine: HookMachine,
): Promise<HookEligibility> {
  const key = resolveHookKey(pack);
  const entry = readHookEntry(readInternalHooksSection(config), key);
  const enableState = resolveHookEnableState(pack, entry);
  const unmet: UnmetNeed[] = [];
  if (enableState.reason) unmet.push({ code: 'disabled', reason: enableState.reason, key });
  unmet.push(...(await listUnmetNeeds(pack.metadata ?? {}, { config, variables: entry?.env }, machine)));
  return { include: unmet.length === 0, enableState, unmet };
}

/** What the machine lacks. `variables` are those that the operator gives in addition to the environment. */
export async function listUnmetNeeds(
  needs: MachineNeeds,
  given: { readonly config: HookConfig; readonly variables?: Readonly<Record<string, unknown>> | undefined },
  machine: HookMachine,
): Promise<readonly UnmetNeed[]> {
  const unmet: UnmetNeed[] = [];
  const accepted = needs.os ?? [];
  const platforms = [machine.platform, ...(machine.remotePlatforms ?? [])];
  if (accepted.length > 0 && !platforms.some((platform) => accepted.includes(platform))) {
    unmet.push({ code: 'os', platform: machine.platform, accepted });
  }
  if (needs.always !== true) unmet.push(...(await listUnmetRequirements(needs.requires, given, machine)));
  return unmet;
}

/** One sentence for a person, with what to do about it. */
export function formatUnmetNeed(need: UnmetNeed): string {
  switch (need.code) {
    case 'disabled':
      return need.reason === 'disabled in config'
        ? `Disabled in the configuration: hooks.internal.entries["${need.key}"].enabled is false.`
        : `Workspace hooks are off until you allow them: set hooks.internal.entries["${need.key}"].enabled to true.`;
    case 'os':
      return `Runs on ${need.accepted.join(', ')} only; this machine is ${need.platform}.`;
    case 'bins':
      return `Needs on the PATH: ${need.missing.join(', ')}.`;
    case 'any-bins':
      return `Needs one of these on the PATH: ${need.missing.join(', ')}.`;
    case 'env':
      return `Needs these environment variables to be set: ${need.missing.join(', ')}.`;
    case 'config':
      return `Needs these configuration values to be set: ${need.missing.join(', ')}.`;
  }
}

/**
 * A plugin's hooks are enabled and disabled with the plugin; workspace packs must be enabled explicitly; all others are
 * enabled unless the operator disables them.
 */
function resolveHookEnableState(pack: Pick<HookPack, 'source'>, entry: HookEntryConfig | undefined): HookEnableState {
  if (pack.source === 'openclaw-plugin') return { enabled: true };
  if (entry?.enabled === false) return { enabled: false, reason: 'disabled in config' };
  if (pack.source === 'openclaw-workspace' && entry?.enabled !== true) {
    return { enabled: false, reason: 'workspace hook (disabled by default)' };
  }
  return { enabled: true };
}

async function listUnmetRequirements(
  requires: MachineNeeds['requires'],
  { config, variables }: Parameters<typeof listUnmetNeeds>[1],
  machine: HookMachine,
): Promise<UnmetNeed[]> {
  const unmet: UnmetNeed[] = [];
  const bins = await listMissingPrograms(requires?.bins ?? [], machine);
  if (bins.length > 0) unmet.push({ code: 'bins', missing: bins });
  const anyBins = requires?.anyBins ?? [];
  const absent = await listMissingPrograms(anyBins, machine);
  if (anyBins.length > 0 && absent.length === anyBins.length) unmet.push({ code: 'any-bins', missing: absent });
  const env = (requires?.env ?? []).filter((name) => !readOwn(machine.env, name) && !readOwn(variables, name));
  if (env.length > 0) unmet.push({ code: 'env', missing: env });
  const paths = (requires?.config ?? []).filter((path) => !isConfigured(config, path));
  if (paths.length > 0) unmet.push({ code: 'config', missing: paths });
  return unmet;
}

async function listMissingPrograms(names: readonly string[], machine: HookMachine): Promise<string[]> {
  const found = await Promise.all(names.map((name) => isOnPath(name, machine)));
  return names.filter((_, index) => !found[index]);
}

async function isOnPath(name: string, machine: HookMachine): Promise<boolean> {
  const isWindows = machine.platform === 'win32';
  const { delimiter, join } = isWindows ? win32 : posix;
  const endings = isWindows ? ['', ...(machine.env.PATHEXT ?? '.EXE;.CMD;.BAT;.COM').split(';')] : [''];
  for (const dir of machine.path.split(delimiter).filter((part) => part !== '')) {
    for (const ending of endings) {
      if (await isExecutableFile(join(dir, name + ending))) return true;
    }
  }
  return false;
}

async function isExecutableFile(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Values that count as set although the configuration does not contain them. */
const SET_BY_DEFAULT = ['browser.enabled', 'browser.evaluateEnabled', 'workspace.dir'];

function isConfigured(config: HookConfig, path: string): boolean {
  let value: unknown = config;
  for (const part of path.split('.').filter((name) => name !== '')) value = readOwn(value, part);
  if (value === undefined) return SET_BY_DEFAULT.includes(path);
  if (typeof value === 'string') return value.trim() !== '';
  return Boolean(value);
}

function readOwn(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}
