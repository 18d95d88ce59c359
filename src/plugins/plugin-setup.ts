// Everything that a plugin is loaded with, as plain data: its identity, its files, its settings and its permissions. The
// same setup makes the same API object in the gateway and in the worker.

import type { JsonObject } from '../protocol/json.ts';
import type { PluginHookSettings } from '../protocol/plugin-settings.ts';

export type PluginOrigin = 'bundled' | 'config' | 'extensions' | 'installed' | 'workspace';

export interface PluginSetup {
  readonly id: string;
  readonly name: string;
  readonly version?: string | undefined;
  readonly description?: string | undefined;
  readonly origin: PluginOrigin;
  /** The file that is loaded, links followed. */
  readonly entryPath: string;
  readonly rootDir: string;
  readonly manifest: PluginManifest;
  /** `full` in a running gateway; `cli-metadata` when only the command line wants to know its commands. */
  readonly registrationMode: 'full' | 'cli-metadata';
  /** The whole configuration, as validated. */
  readonly config: JsonObject;
  /** The plugin's own, with the defaults of its schema. */
  readonly pluginConfig: JsonObject;
  readonly hooks: PluginHookSettings;
  /** The operator requires it, so what it transforms is withheld when one of its handlers fails. */
  readonly isRequired?: boolean | undefined;
  readonly stateDir: string;
  readonly workspaceDir: string;
  /** What a leading `~` in a path means; without it such a path is left as it is. */
  readonly homeDir?: string | undefined;
  /** True when `plugins.slots.memory` names this plugin. */
  readonly holdsMemorySlot: boolean;
  /** Counts the loads of this plugin in this process. Requests of older generations are refused. */
  readonly generation: number;
}

/** `openclaw.plugin.json`, as far as it is used here; the rest is kept as written. */
export interface PluginManifest {
  readonly id: string;
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly description?: string | undefined;
  readonly kind: readonly string[];
  readonly enabledByDefault: boolean;
  readonly configSchema?: JsonObject | undefined;
  /** Names of tools that it declares. */
  readonly tools: readonly string[];
  /** Folders with skills, relative to the plugin. */
  readonly skills: readonly string[];
  readonly raw: JsonObject;
}
