// What the worker that plugins run in tells about itself: that it had to be ended, because of whom, and who runs again.
// Whoever keeps plugins loaded hands these in when the worker is made.

import type { LoadedPlugin } from './loaded-plugin.ts';

export interface WorkerEvents {
  /** The worker was ended and these plugins are not loaded again. Told before those that are. */
  readonly trouble: (trouble: WorkerTrouble) => void;
  /** Loaded again after trouble, from the same setup. What the one before it registered rejects from now on. */
  readonly reloaded: (plugin: LoadedPlugin, before: LoadedPlugin) => void;
}

export interface WorkerTrouble {
  /** Who did it; several when that cannot be told. */
  readonly culprits: readonly string[];
  readonly cause: 'spin' | 'memory' | 'exit' | 'crash' | 'reload-failed';
  /** One sentence: what happened, and in which hook, tool or service as far as that is known. */
  readonly reason: string;
}
