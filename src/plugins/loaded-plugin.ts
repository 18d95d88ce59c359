// A plugin that has been loaded, wherever it runs. `InlinePlugins` and `WorkerPlugins` both give these, so the
// code that uses a registration does not know where the plugin runs.
//
// Errors: `load` never rejects for what a plugin does: code that throws, an import that does not exist or a register
// function that never ends give a LoadFailure with one sentence that names it.
// Rules: nothing that the plugin registered is armed here; `registrations` are handed over. After `unload` every
// function among them rejects with PluginGoneError, whatever the old code still does.

import type { PluginHost } from './plugin-host.ts';
import type { PluginSetup } from './plugin-setup.ts';
import type { PluginRegistration } from './registration.ts';

export interface PluginLoader {
  load(setup: PluginSetup, host: PluginHost): Promise<LoadResult>;
  close(): Promise<void>;
}

export type LoadResult =
  | { readonly ok: true; readonly plugin: LoadedPlugin }
  | LoadFailure
  /** It asks for what only the main thread has, so it could be loaded in the gateway only. */
  | { readonly ok: false; readonly needsInline: readonly string[]; readonly notes: readonly PluginNote[] };

export interface LoadFailure {
  readonly ok: false;
  readonly reason: string;
  /** The error that says the same, where a handler file was loaded. */
  readonly error?: Error | undefined;
  /** It ended the worker, so that trying again costs everything else in the worker. */
  readonly endedWorker?: boolean | undefined;
  readonly notes: readonly PluginNote[];
}

export interface LoadedPlugin {
  readonly id: string;
  readonly where: 'worker' | 'inline';
  readonly registrations: readonly PluginRegistration[];
  readonly notes: readonly PluginNote[];
  /** True while calls are in progress that `unload` would interrupt. Left out where it interrupts none. */
  isBusy?(): boolean;
  /** Idempotent. */
  unload(): Promise<void>;
}

/** What an operator should know of a plugin: a registration that was refused, an older form that was understood. */
export interface PluginNote {
  readonly level: 'info' | 'warn' | 'error';
  /**
   * `refused-hook`, `blocked-hook`, `legacy`, `undeclared-tool`, `unused`, `refused`, `permission`, `warning`… A short
   * word that programs and tests can compare.
   */
  readonly code: string;
  readonly message: string;
}

export interface WorkerEvents {
  /** The worker was ended and these plugins are not loaded again. This is told before `reloaded`. */
  readonly trouble: (trouble: WorkerTrouble) => void;
  /** Loaded again after trouble, with the same setup. The functions of the plugin before it reject from now on. */
  readonly reloaded: (plugin: LoadedPlugin, before: LoadedPlugin) => void;
}

export interface WorkerTrouble {
  /** The plugins that caused it; several when it is not certain which one. */
  readonly culprits: readonly string[];
  readonly cause: 'spin' | 'memory' | 'exit' | 'crash' | 'tampering' | 'reload-failed';
  /** One sentence: what happened, and in which hook, tool or service as far as that is known. */
  readonly reason: string;
}
