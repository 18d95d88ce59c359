// The configuration of a running gateway. Its files are checked regularly, and a change is handed to the parts that
// read one of the changed paths and can be reopened; for every other change the operator is told that it needs a
// restart. So live reload is one mechanism, and a part only says what it reads and how it is reopened.
// Errors: a configuration that cannot be used rejects `read`; when it is found while watching, it is a warning. In both
// cases the parts keep the settings that they have.

import { unwatchFile, watchFile } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { type ConfigLocation, listConfigPaths } from '../config/config-files.ts';
import { ConfigMissingError, ConfigUnreadableError } from '../config/errors.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import { errorText } from '../protocol/one-line.ts';
import { within } from '../protocol/time-limit.ts';
import type { GatewayPart } from './gateway-part.ts';

export interface ConfigWatchParts {
  readonly location: ConfigLocation;
  /** The configuration with which the gateway was started. */
  readonly loaded: LoadedConfig;
  /** The parts that can be reopened. */
  readonly parts: () => readonly GatewayPart[];
  readonly warn: (sentence: string) => void;
  /** The time between two checks of the files. */
  readonly pollMs?: number | undefined;
  /** How long the files must be unchanged before they are read. */
  readonly quietMs?: number | undefined;
}

const POLL_MS = 1_000;
const CLOSE_MS = 500;
/** Many editors empty a file before they fill it. An empty file would allow what the full one forbids. */
const QUIET_MS = 300;
/** Sections that programs write for themselves and that no part reads. */
const NOT_SETTINGS: ReadonlySet<string> = new Set(['meta', 'wizard', '$schema']);

export class ConfigWatch {
  readonly #parts: ConfigWatchParts;
  /** The configuration that was read last; `#taken` holds what each part works with. */
  #read: LoadedConfig;
  /** For each part, the configuration that it works with. */
  readonly #taken = new Map<GatewayPart, LoadedConfig>();
  #watched: readonly string[] = [];
  #waiting: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #saidLast: string | undefined;
  #isClosed = false;
  readonly #changed = () => {
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => {
      this.#looking = this.#looking.then(() => this.#takeUp());
    }, this.#parts.quietMs ?? QUIET_MS).unref();
  };

  constructor(parts: ConfigWatchParts) {
    this.#parts = parts;
    this.#read = parts.loaded;
  }

  /** Starts watching. Checking a few files regularly costs very little and works on every file system. */
  open(): void {
    this.#watch(this.#parts.loaded);
  }

  /** Reads the configuration files now, for a caller that takes up everything that `part` reads. */
  async read(part: GatewayPart): Promise<LoadedConfig> {
    const loaded = await this.#load();
    this.#keep(loaded);
    this.#taken.set(part, loaded);
    return loaded;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#waiting);
    for (const file of this.#watched) unwatchFile(file, this.#changed);
    // A part that is being reopened may take long; after this time it is closed anyway.
    await within(CLOSE_MS, this.#looking);
  }

  async #takeUp(): Promise<void> {
    if (this.#isClosed) return;
    try {
      const before = this.#read;
      const written = await this.#writtenAt();
      const loaded = await this.#load();
      if (!isDeepStrictEqual(await this.#writtenAt(), written)) return this.#changed();
      this.#keep(loaded);
      this.#saidLast = undefined;
      const parts = this.#parts.parts();
      this.#nameWaiting(before, loaded, parts);
      for (const part of parts) await this.#reopen(part, loaded);
    } catch (error) {
      if (this.#isClosed) return;
      const reason = errorText(error);
      // Several files may change at once, and one sentence about them is enough.
      if (reason !== this.#saidLast) {
        this.#parts.warn(`The configuration was changed and cannot be used, so everything stays as it is. ${reason}`);
      }
      this.#saidLast = reason;
    }
  }

  async #reopen(part: GatewayPart, loaded: LoadedConfig): Promise<void> {
    const { reads = [] } = part;
    const taken = this.#taken.get(part) ?? this.#parts.loaded;
    if (!reads.some((path) => hasChanged(path, taken, loaded))) return;
    await part.reopen?.(loaded);
    this.#taken.set(part, loaded);
  }

  /** A change that no part can take up is reported once, when it is made; one that is taken back needs no restart. */
  #nameWaiting(before: LoadedConfig, loaded: LoadedConfig, parts: readonly GatewayPart[]): void {
    const taken = new Set(parts.flatMap(({ reads = [] }) => reads));
    const sections = new Set([...Object.keys(before.config), ...Object.keys(loaded.config)]);
    const waiting = [...sections].filter(
      (section) =>
        !NOT_SETTINGS.has(section) &&
        !taken.has(section) &&
        hasChanged(section, before, loaded) &&
        hasChanged(section, this.#parts.loaded, loaded),
    );
    if (waiting.length === 0) return;
    this.#parts.warn(`The configuration was changed in ${waiting.join(', ')}. That is taken up at the next start.`);
  }

  /** The modification time of each file; undefined for a file that does not exist. */
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

  /**
   * A file that was used and is gone or empty now cannot be what the operator wants: a program is writing it anew, or it
   * was moved away by mistake. Without it, everything that it forbids would be allowed.
   */
  async #load(): Promise<LoadedConfig> {
    const paths = listConfigPaths(this.#parts.location);
    for (const { path } of this.#read.files) {
      if (!paths.includes(path)) continue;
      const text = await readFile(path, 'utf8').catch(() => undefined);
      if (text === undefined) throw new ConfigMissingError({ file: path });
      if (text.trim() === '') throw new ConfigUnreadableError({ file: path, detail: 'it is empty' });
    }
    return loadConfig(this.#parts.location);
  }

  #keep(loaded: LoadedConfig): void {
    this.#read = loaded;
    this.#watch(loaded);
  }

  /** The set of included files may change. */
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

function hasChanged(path: string, before: LoadedConfig, after: LoadedConfig): boolean {
  return !isDeepStrictEqual(valueAt(before.config, path), valueAt(after.config, path));
}

function valueAt(config: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], config);
}
