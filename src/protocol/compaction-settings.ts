// When and how an agent's long conversations are made shorter.

import type { ModelRef } from './model-ref.ts';

export interface CompactionSettings {
  /** False means that a conversation is shortened only when a person asks for it. */
  readonly enabled: boolean;
  /** The share of the context window at which compaction begins. */
  readonly threshold: number;
  /** How many recent tokens stay word for word. Without a value it is a quarter of the window. */
  readonly keepRecentTokens?: number | undefined;
  /** The model that writes the summary. Without a value it is the model of the run. */
  readonly model?: ModelRef | undefined;
  readonly timeoutMs: number;
  /** The window of models whose window is unknown, and the most that is used of every other window. */
  readonly contextTokens: number;
  /** True when the configuration sets `contextTokens`; otherwise the value is Atrium's default. */
  readonly isContextTokensSet?: boolean | undefined;
  /** What every summary must keep: facts in words, and sections such as `AGENTS.md#Safety`. */
  readonly pins: readonly string[];
}
