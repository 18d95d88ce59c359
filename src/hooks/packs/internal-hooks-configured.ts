// Whether a configuration asks for internal hooks at all, and for which. OpenClaw loads none unless the configuration
// asks for them; Atrium also loads the packs that the operator put into `<state>/hooks/`. This file knows both
// policies, and the caller picks one.

import { type HookConfig, readInternalHooksSection } from './internal-hooks-section.ts';

export interface ConfiguredHooks {
  readonly configured: boolean;
  /** `ALL`, or the only names that may be loaded. */
  readonly names: 'ALL' | readonly string[];
}

/**
 * `configured-only`: only what the configuration asks for is loaded. `managed-by-default`: every pack is considered
 * unless it is disabled.
 */
export type HookLoadPolicy = 'configured-only' | 'managed-by-default';

/** Under both policies a workspace pack still needs its own entry with `enabled: true`; eligibility checks that. */
export function resolveConfiguredHooks(config: HookConfig, policy: HookLoadPolicy): ConfiguredHooks {
  if (policy === 'configured-only') return internalHooksConfigured(config);
  const switchedOff = readInternalHooksSection(config).enabled === false;
  return switchedOff ? { configured: false, names: [] } : { configured: true, names: 'ALL' };
}

export function internalHooksConfigured(config: HookConfig): ConfiguredHooks {
  const section = readInternalHooksSection(config);
  if (section.enabled === false) return { configured: false, names: [] };
  if (section.enabled === true) return { configured: true, names: 'ALL' };
  const entries = [...section.entries].filter(([, entry]) => !isDisabled(entry));
  const asksForAll = section.extraDirs.length > 0 || section.handlers.length > 0;
  const configured = entries.length > 0 || section.installs.size > 0 || asksForAll;
  const names = new Set(entries.map(([name]) => name.trim()));
  for (const [id, install] of section.installs) {
    const listed = listHooks(install);
    // An installed pack that lists no hooks may contain any hook.
    if (listed.length === 0 && id.trim() !== '') return { configured, names: 'ALL' };
    for (const name of listed) names.add(name.trim());
  }
  names.delete('');
  return { configured, names: asksForAll ? 'ALL' : [...names] };
}

function isDisabled(entry: unknown): boolean {
  return typeof entry === 'object' && entry !== null && (entry as { enabled?: unknown }).enabled === false;
}

function listHooks(install: unknown): string[] {
  const hooks = typeof install === 'object' && install !== null ? (install as { hooks?: unknown }).hooks : undefined;
  return Array.isArray(hooks) ? hooks.filter((name) => typeof name === 'string') : [];
}
