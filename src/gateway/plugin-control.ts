// What an operator may do with the plugins of a running gateway: look at them and load them again. Changes of the
// configuration that concern plugins take effect without a restart, by a command or when its files change.
//
// Errors: a configuration that cannot be used rejects a reload; found while watching it is a warning. Either way the
// plugins keep their settings.

import { unwatchFile, watchFile } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { type ConfigLocation, listConfigPaths } from '../config/config-files.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import type { PluginStatus } from '../plugins/plugin-status.ts';
import type { Plugins } from '../plugins/plugins.ts';
import type { PluginsConfiguration } from '../plugins/plugins-parts.ts';
import { within } from '../protocol/time-limit.ts';
import { pluginsConfigurationOf } from './plugins-configuration.ts';

export interface PluginControlParts {
  readonly plugins: Pick<Plugins, 'list' | 'inspect' | 'reload' | 'reloadAll' | 'apply'>;
  readonly location: ConfigLocation;
  /** What the gateway was started with. */
  readonly loaded: LoadedConfig;
  readonly warn: (sentence: string) => void;
  /** How often the files are looked at. */
  readonly pollMs?: number | undefined;
  /** How long they must have been left alone before they are read. */
  readonly quietMs?: number | undefined;
}

const POLL_MS = 1_000;
const CLOSE_MS = 500;
/** Many editors empty a file before they fill it. An empty one would allow what the full one forbids. */
const QUIET_MS = 300;

/** Everything with an id rejects or throws UnknownPluginError. Reloading reads the configuration again first. */
export class PluginControl {
  readonly #parts: PluginControlParts;
  #applied: PluginsConfiguration;
  #watched: readonly string[] = [];
  #waiting: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #saidLast: string | undefined;
  #isClosed = false;
  readonly #changed = () => {
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => {
      this.#looking = this.#looking.then(() => this.#applyChange());
    }, this.#parts.quietMs ?? QUIET_MS).unref();
  };

  constructor(parts: PluginControlParts) {
    this.#parts = parts;
    this.#applied = pluginsConfigurationOf(parts.loaded.config, parts.location.environment);
  }

  /** Begins to watch. Looking at a few files now and then costs next to nothing and works on every file system. */
  open(): void {
    this.#watch(this.#parts.loaded);
  }

  list(): readonly PluginStatus[] {
    return this.#parts.plugins.list();
  }

  inspect(id: string): PluginStatus {
    return this.#parts.plugins.inspect(id);
  }

  async reload(id: string): Promise<PluginStatus> {
    return this.#parts.plugins.reload(id, await this.#readAgain());
  }

  async reloadAll(): Promise<readonly PluginStatus[]> {
    return this.#parts.plugins.reloadAll(await this.#readAgain());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#waiting);
    for (const file of this.#watched) unwatchFile(file, this.#changed);
    // What is being loaded may take its time, and is unloaded anyway.
    await within(CLOSE_MS, this.#looking);
  }

  async #applyChange(): Promise<void> {
    if (this.#isClosed) return;
    const before = this.#applied;
    try {
      const written = await this.#writtenAt();
      const now = await this.#readAgain();
      if (!isDeepStrictEqual(await this.#writtenAt(), written)) {
        this.#applied = before;
        this.#changed();
        return;
      }
      this.#saidLast = undefined;
      const concerns = ({ settings, workspaceDir }: PluginsConfiguration) => ({ settings, workspaceDir });
      if (isDeepStrictEqual(concerns(now), concerns(before))) return;
      await this.#parts.plugins.apply(now);
    } catch (error) {
      if (this.#isClosed) return;
      const { message } = error as Error;
      // Several files may change at once, and one sentence about them is enough.
      if (message !== this.#saidLast) {
        this.#parts.warn(
          `The configuration was changed and cannot be used, so the plugins stay as they are. ${message}`,
        );
      }
      this.#saidLast = message;
    }
  }

  /** When each file was last written; undefined for those that are not there. */
  #writtenAt(): Promise<readonly (number | undefined)[]> {
    return Promise.all(
      this.#watched.map((file) =>
        stat(file).then(
          ({ mtimeMs }) => mtimeMs,
          () => undefined,
        ),
      ),
    );
  }

  async #readAgain(): Promise<PluginsConfiguration> {
    const loaded = await loadConfig(this.#parts.location);
    this.#watch(loaded);
    this.#applied = pluginsConfigurationOf(loaded.config, this.#parts.location.environment);
    return this.#applied;
  }

  /** Files that are included may come and go. */
  #watch({ files }: LoadedConfig): void {
    if (this.#isClosed) return;
    const wanted = [...new Set([...listConfigPaths(this.#parts.location), ...files.map(({ path }) => path)])];
    for (const file of this.#watched) if (!wanted.includes(file)) unwatchFile(file, this.#changed);
    const interval = this.#parts.pollMs ?? POLL_MS;
    for (const file of wanted) {
      if (!this.#watched.includes(file)) watchFile(file, { interval, persistent: false }, this.#changed);
    }
    this.#watched = wanted;
  }
}
