// How much text the bootstrap files of an agent may bring into a prompt. This never fails: a value that is not a usable
// number counts as the built-in limit, because a wrong setting must not stop a run.

import { DEFAULT_BOOTSTRAP_MAX_CHARS, DEFAULT_BOOTSTRAP_TOTAL_MAX_CHARS } from '../protocol/bootstrap-file.ts';
import { resolveAgentConfig, resolveAgentDefaults } from './agents.ts';
import type { Config } from './schema.ts';

export const TRUNCATION_WARNING_MODES = ['off', 'once', 'always'] as const;
export type TruncationWarningMode = (typeof TRUNCATION_WARNING_MODES)[number];

export interface BootstrapLimits {
  readonly maxChars: number;
  readonly totalMaxChars: number;
  /** Absent when only characters are limited. */
  readonly maxTokens?: number;
  readonly warningMode: TruncationWarningMode;
}

/** An agent's own value replaces the shared one even when it is unusable; then the built-in limit holds. */
export function resolveBootstrapLimits(cfg: Config | undefined, agentId?: string): BootstrapLimits {
  const defaults = resolveAgentDefaults(cfg);
  const agent = cfg !== undefined && agentId ? resolveAgentConfig(cfg, agentId) : undefined;
  const maxTokens = usable(agent?.bootstrapMaxTokens ?? defaults.bootstrapMaxTokens);
  const warning = defaults.bootstrapPromptTruncationWarning;
  return {
    maxChars: usable(agent?.bootstrapMaxChars ?? defaults.bootstrapMaxChars) ?? DEFAULT_BOOTSTRAP_MAX_CHARS,
    totalMaxChars:
      usable(agent?.bootstrapTotalMaxChars ?? defaults.bootstrapTotalMaxChars) ?? DEFAULT_BOOTSTRAP_TOTAL_MAX_CHARS,
    ...(maxTokens !== undefined && { maxTokens }),
    warningMode: TRUNCATION_WARNING_MODES.find((mode) => mode === warning) ?? 'always',
  };
}

function usable(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : undefined;
}
