// Decides whether bootstrap files go into every prompt, only into the first ones of a session, or into none.

import { resolveAgentConfig, resolveAgentDefaults } from './agents.ts';
import type { Config } from './schema.ts';

export const CONTEXT_INJECTION_MODES = ['always', 'continuation-skip', 'never'] as const;
export type ContextInjectionMode = (typeof CONTEXT_INJECTION_MODES)[number];

/**
 * Returns the agent's mode when it is a known one, else the shared one. The shared mode is not checked here, as
 * existing homes expect; its reader treats an unknown word like `always`. Loading a configuration refuses such a word.
 */
export function resolveContextInjectionMode(cfg: Config | undefined, agentId?: string): ContextInjectionMode {
  const own = cfg !== undefined && agentId ? resolveAgentConfig(cfg, agentId)?.contextInjection : undefined;
  return CONTEXT_INJECTION_MODES.find((mode) => mode === own) ?? resolveAgentDefaults(cfg).contextInjection ?? 'always';
}
