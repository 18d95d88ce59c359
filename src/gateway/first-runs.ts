// Ends the first run of an agent when its BOOTSTRAP.md is gone, for as long as the gateway runs: a file that comes back
// later, from a backup or from git, is then not shown again. Only workspaces whose first run goes on are looked at: by a
// slow watch, before each composition, and after each answer that may have used tools.
// Errors: none are thrown. A state that cannot be written is a warning, and the next look tries again.

import { lstatSync, type Stats, unwatchFile, watchFile } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalFolders } from '../context/sources/local-folder.ts';
import { completeFirstRun } from '../context/workspace/workspace-state.ts';
import { DEFAULT_BOOTSTRAP_FILENAME } from '../protocol/bootstrap-file.ts';

export interface FirstRunsParts {
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
}

const WATCH_MS = 500;
/** Some editors take a file away for a moment to write it anew. */
const EDITOR_MS = 250;

export class FirstRuns {
  readonly #parts: FirstRunsParts;
  readonly #local = new LocalFolders();
  /** The workspace of each agent whose first run goes on. */
  readonly #pending = new Map<string, { readonly dir: string; readonly unwatch: () => void }>();
  #warned = '';

  constructor(parts: FirstRunsParts) {
    this.#parts = parts;
  }

  /** The first run of this agent goes on, and BOOTSTRAP.md is there. */
  watch(agentId: string, dir: string): void {
    if (this.#pending.has(agentId)) return;
    const path = join(dir, DEFAULT_BOOTSTRAP_FILENAME);
    const changed = ({ nlink }: Stats) => {
      if (nlink === 0) void sleep(EDITOR_MS, undefined, { ref: false }).then(() => this.look(agentId));
    };
    watchFile(path, { interval: WATCH_MS, persistent: false }, changed);
    this.#pending.set(agentId, { dir, unwatch: () => unwatchFile(path, changed) });
  }

  /** Writes down that the first run is over when BOOTSTRAP.md is gone. It costs nothing where no first run goes on. */
  async look(agentId: string): Promise<void> {
    const pending = this.#pending.get(agentId);
    if (!pending || !(await this.#isGone(pending.dir))) return;
    try {
      await completeFirstRun(pending.dir, new Date(this.#parts.now()));
      pending.unwatch();
      this.#pending.delete(agentId);
    } catch (error) {
      const sentence = `The end of the first run of "${agentId}" could not be written down: ${(error as Error).message}`;
      if (sentence !== this.#warned) this.#parts.warn(sentence);
      this.#warned = sentence;
    }
  }

  close(): void {
    for (const { unwatch } of this.#pending.values()) unwatch();
    this.#pending.clear();
  }

  /** A file that cannot be looked at is not gone. */
  async #isGone(dir: string): Promise<boolean> {
    const path = join(dir, DEFAULT_BOOTSTRAP_FILENAME);
    try {
      if (this.#local.has(dir)) return lstatSync(path, { throwIfNoEntry: false }) === undefined;
      await lstat(path);
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT';
    }
  }
}
