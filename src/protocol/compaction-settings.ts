// When and how an agent's long conversations are made shorter.

import type { ModelRef } from './model-ref.ts';

export interface CompactionSettings {
  /** False: only when a person asks for it. */
  readonly enabled: boolean;
  /** The share of the window at which it begins. */
  readonly threshold: number;
  /** What stays as it was said; without it, a quarter of the window. */
  readonly keepRecentTokens?: number | undefined;
  /** Who writes the summary; without it, the model of the run. */
  readonly model?: ModelRef | undefined;
  readonly timeoutMs: number;
  /** The window of models that nobody knows, and the most that is used of others'. */
  readonly contextTokens: number;
  /** Somebody wrote it down; otherwise it is ours. */
  readonly isContextTokensSet?: boolean | undefined;
  /** What no summary may lose: facts in words, and sections such as `AGENTS.md#Safety`. */
  readonly pins: readonly string[];
}
