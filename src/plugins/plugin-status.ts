// What is known of one plugin, as `atrium plugins inspect` and the API show it.

import type { PluginNote } from './loaded-plugin.ts';
import type { PluginOrigin } from './plugin-setup.ts';

export type PluginState = 'loaded' | 'disabled' | 'failed' | 'suspended' | 'pending';

export interface PluginStatus {
  readonly id: string;
  readonly name: string;
  readonly version?: string | undefined;
  readonly description?: string | undefined;
  readonly origin: PluginOrigin;
  readonly rootDir: string;
  readonly entryPath: string | null;
  readonly state: PluginState;
  /** One sentence: why it is in that state, and what would change it. */
  readonly reason: string;
  readonly where: 'worker' | 'inline' | null;
  /** Why it runs there. */
  readonly whyThere: string | null;
  readonly generation: number;
  readonly permissions: { readonly conversation: boolean; readonly promptInjection: boolean };
  /** What it registered, by name. */
  readonly hooks: readonly PluginHookStatus[];
  readonly internalHooks: readonly string[];
  readonly tools: readonly string[];
  readonly commands: readonly string[];
  readonly services: readonly string[];
  readonly routes: readonly string[];
  readonly methods: readonly string[];
  readonly cli: readonly string[];
  readonly policies: readonly string[];
  readonly sessionExtensions: readonly string[];
  /** Whatever else it registered, such as `session action approve`. */
  readonly others: readonly string[];
  /** Folders with skills for agents, as its manifest names them. */
  readonly skills: readonly string[];
  /** Accepted and of no use here, such as `registerSpeechProvider kitchen-sink`. */
  readonly unused: readonly string[];
  readonly notes: readonly PluginNote[];
  /** Of an installed package: what it was then; `changed` when its files differ now. */
  readonly install?:
    | { readonly spec: string; readonly integrity: string; readonly installedAt: number; readonly changed: boolean }
    | undefined;
}

export interface PluginHookStatus {
  readonly hook: string;
  readonly id: string;
  readonly priority: number;
  readonly timeoutMs: number;
  /** `armed`, or `blocked` by a permission, or `pending` for a hook that is not called yet. */
  readonly state: 'armed' | 'blocked' | 'pending';
  readonly reason?: string | undefined;
}
