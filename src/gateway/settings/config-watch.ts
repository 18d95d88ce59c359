// The configuration of a running gateway. Its files are checked regularly, and a change is handed to the parts that
// read one of the changed paths and can be reopened; for every other change the operator is told that it needs a
// restart. So live reload is one mechanism, and a part only says what it reads and how it is reopened. A part may also
// name files of its own, such as hook packs. `state` takes up at once what has changed, and says what is left, so that
// commands never answer for a file that the gateway does not follow.
// Errors: a configuration that cannot be used rejects `read`; when it is found while watching, it is a warning. In both
// cases the parts keep the settings that they have.

import { unwatchFile, watchFile } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type ConfigLocation, listConfigPaths } from '../../config/config-files.ts';
import { type ConfigPath, formatConfigPath, isPartOf, valueAt } from '../../config/config-path.ts';
import { ConfigMissingError, ConfigUnreadableError } from '../../config/errors.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { isPlainObject } from '../../config/plain-object.ts';
import { envFilePaths } from '../../config/secrets/env-files.ts';
import { type EnvFileChange, listEnvFileChanges } from '../../config/secrets/list-env-file-changes.ts';
import type { JsonValue } from '../../protocol/json.ts';
import { errorText } from '../../protocol/one-line.ts';
import { within } from '../../protocol/time-limit.ts';
import { REDACTED } from '../../recorder/redact.ts';
import type { GatewayPart, WaitingPlace } from '../gateway-part.ts';
import { type ConfigState, describeConfigState, type WaitingSetting } from './config-state.ts';
import { loadStartableConfig } from './load-startable-config.ts';
import { showConfig } from './show-config.ts';

export interface ConfigWatchParts {
  readonly location: ConfigLocation;
  /** The configuration with which the gateway was started. */
  readonly loaded: LoadedConfig;
  /** The parts that can be reopened. */
  readonly parts: () => readonly GatewayPart[];
  /** Called with every configuration that was read, before a part takes it up. */
  readonly learn?: ((loaded: LoadedConfig) => void) | undefined;
  readonly warn: (sentence: string) => void;
  /** The time between two checks of the files. */
  readonly pollMs?: number | undefined;
  /** Called when the configuration was read again. It never throws. */
  readonly wasRead?: (() => void) | undefined;
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
  /** What the `.env` files say differently since the start. */
  #envChanges: readonly EnvFileChange[] = [];
  /** Why the files cannot be used as they are now. */
  #problem: string | undefined;
  /** The files as they were when they were read last; undefined before they were looked at. */
  #seen: readonly Stamp[] | undefined;
  /** For each part with files of its own, how these were when they were taken up. */
  readonly #ownSeen = new Map<GatewayPart, Map<string, Stamp>>();
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
    this.watchFiles();
  }

  /** Called when the parts may have other files of their own than before. */
  watchFiles(): void {
    this.#watch(this.#read);
    this.#looking = this.#looking.then(async () => {
      for (const part of this.#parts.parts()) if (!this.#ownSeen.has(part)) await this.#noteOwnFiles(part);
    });
  }

  /** Reads the configuration files now, for a caller that takes up everything that `part` reads. */
  async read(part: GatewayPart): Promise<LoadedConfig> {
    const loaded = await this.#load();
    this.#keep(loaded);
    this.#taken.set(part, loaded);
    return loaded;
  }

  /** Takes up what has changed until now, and says what the running gateway does not follow. */
  async state(): Promise<ConfigState> {
    await this.#catchUp();
    const files = this.#read.files.map(({ path }) => path);
    const waiting = [...this.#paths(this.#parts.loaded, this.#read), ...this.#envChanges.map(nameOf)];
    return { files, waiting, problem: this.#problem ?? null };
  }

  /** Where the configuration is, for callers that look at it or change it, and run no programs that give secrets. */
  get location(): ConfigLocation {
    return { ...this.#parts.location, runsCommands: false };
  }

  /** The configuration as it was read last. */
  get current(): LoadedConfig {
    return this.#read;
  }

  /** Why the files cannot be used, in one sentence, as far as that was noticed. */
  warnings(): readonly string[] {
    return describeConfigState({ waiting: [], problem: this.#problem ?? null });
  }

  /** What the files say differently since the start and what only a restart takes up, as far as that was noticed. */
  changedSinceStart(): readonly WaitingSetting[] {
    const { loaded } = this.#parts;
    const places = this.#waitingPlaces(loaded, this.#read);
    const variables = this.#envChanges.map((change) => ({
      path: nameOf(change),
      inUse: change.was === 'added' ? null : REDACTED,
      inFile: change.was === 'removed' ? null : REDACTED,
    }));
    if (places.length === 0) return variables;
    // What the files say is shown, and not what their variables hold.
    const [before, after] = [loaded, this.#read].map(({ written }) => showConfig(written as JsonValue));
    const shown = (value: JsonValue | undefined, path: ConfigPath) => (valueAt(value, path) ?? null) as JsonValue;
    const settings = places.map(({ atStart, now }) => ({
      path: formatConfigPath(now),
      inUse: shown(before, atStart),
      inFile: shown(after, now),
    }));
    return [...settings, ...variables];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#waiting);
    for (const file of this.#watched) unwatchFile(file, this.#changed);
    // A part that is being reopened may take long; after this time it is closed anyway.
    await within(CLOSE_MS, this.#looking);
  }

  /** A file that was written just now may not be complete, so it is read when it has been unchanged for a while. */
  async #catchUp(): Promise<void> {
    if (this.#isClosed) return;
    this.#watch(this.#read);
    const stamps = await this.#stampsOf(this.#watched);
    if (isDeepStrictEqual(stamps, this.#seen)) return this.#looking;
    clearTimeout(this.#waiting);
    const newest = Math.max(0, ...stamps.map((stamp) => stamp?.[0] ?? 0));
    const quietMs = this.#parts.quietMs ?? QUIET_MS;
    await sleep(Math.min(quietMs, Math.max(0, newest + quietMs - Date.now())));
    this.#looking = this.#looking.then(() => this.#takeUp());
    await this.#looking;
  }

  async #takeUp(): Promise<void> {
    if (this.#isClosed) return;
    try {
      const before = this.#read;
      const stamps = await this.#stampsOf(this.#watched);
      this.#seen = stamps;
      this.#noteVariables();
      const loaded = await this.#load();
      if (!isDeepStrictEqual(await this.#stampsOf(this.#watched), stamps)) return this.#changed();
      this.#keep(loaded);
      this.#problem = undefined;
      this.#nameWaiting(before, loaded);
      for (const part of this.#parts.parts()) await this.#reopen(part, loaded);
    } catch (error) {
      if (this.#isClosed) return;
      const reason = errorText(error);
      // Several files may change at once, and one sentence about them is enough.
      if (reason !== this.#problem) this.#say({ waiting: [], problem: reason });
      this.#problem = reason;
    }
  }

  async #reopen(part: GatewayPart, loaded: LoadedConfig): Promise<void> {
    const { reads = [], sharesReading = [] } = part;
    const taken = this.#taken.get(part) ?? this.#parts.loaded;
    const isOwnChanged = await this.#noteOwnFiles(part);
    if (!isOwnChanged && ![...reads, ...sharesReading].some((path) => hasChanged(path, taken, loaded))) return;
    await part.reopen?.(loaded);
    this.#taken.set(part, loaded);
  }

  /** Whether a file of the part has changed since it was noted. A file that is noted for the first time has not. */
  async #noteOwnFiles(part: GatewayPart): Promise<boolean> {
    const files = part.files?.() ?? [];
    const before = this.#ownSeen.get(part);
    const stamps = await this.#stampsOf(files);
    this.#ownSeen.set(part, new Map(files.map((file, index) => [file, stamps[index] ?? null])));
    return files.some((file, index) => before?.has(file) && !isDeepStrictEqual(before.get(file), stamps[index]));
  }

  /** A change that no part can take up is reported once, when it is made; one that is taken back needs no restart. */
  #nameWaiting(before: LoadedConfig, loaded: LoadedConfig): void {
    const changed = new Set(this.#paths(before, loaded));
    const waiting = this.#paths(this.#parts.loaded, loaded).filter((path) => changed.has(path));
    this.#say({ waiting, problem: null });
  }

  /** The environment was read once, so everything about it waits. It is said once, as for a setting. */
  #noteVariables(): void {
    const known = new Set(this.#envChanges.map((change) => `${change.was} ${nameOf(change)}`));
    this.#envChanges = listEnvFileChanges(this.#parts.location.environment);
    const news = this.#envChanges.filter((change) => !known.has(`${change.was} ${nameOf(change)}`));
    this.#say({ waiting: news.map(nameOf), problem: null });
  }

  #say(state: Omit<ConfigState, 'files'>): void {
    for (const sentence of describeConfigState(state)) this.#parts.warn(sentence);
  }

  /** The names of what differs and what no part takes up, as short as sentences have them. */
  #paths(before: LoadedConfig, loaded: LoadedConfig): readonly string[] {
    const { others, waiting } = this.#differences(before, loaded);
    const names = [
      ...others.map((path) => path.slice(0, 2).join('.')),
      ...waiting.map(({ now }) => formatConfigPath(now)),
    ];
    return [...new Set(names)].sort();
  }

  #waitingPlaces(before: LoadedConfig, loaded: LoadedConfig): readonly WaitingPlace[] {
    const { others, waiting } = this.#differences(before, loaded);
    const all = [...others.map((path) => ({ atStart: path, now: path })), ...waiting];
    const byName = new Map(all.map((place) => [formatConfigPath(place.now), place] as const));
    return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, place]) => place);
  }

  #differences(
    before: LoadedConfig,
    loaded: LoadedConfig,
  ): { readonly others: readonly (readonly string[])[]; readonly waiting: readonly WaitingPlace[] } {
    const parts = this.#parts.parts();
    const taken = parts.flatMap(({ reads = [] }) => reads);
    // What is not used now is not used after a restart either.
    const unused = [...before.unused, ...loaded.unused].filter(({ danger }) => danger !== 'differs');
    const isUnused = (path: ConfigPath) => unused.some((each) => isPartOf(formatConfigPath(path), each.path));
    const isTaken = (path: string) => taken.some((each) => path === each || path.startsWith(`${each}.`));
    return {
      others: changedPaths(before.config, loaded.config).filter((path) => !isTaken(path.join('.')) && !isUnused(path)),
      waiting: parts.flatMap((part) => part.waits?.(before.config, loaded.config) ?? []),
    };
  }

  #stampsOf(files: readonly string[]): Promise<readonly Stamp[]> {
    return Promise.all(
      files.map((file) =>
        stat(file).then(
          ({ mtimeMs, size }): Stamp => [mtimeMs, size],
          () => null,
        ),
      ),
    );
  }

  /**
   * A file that was used and is gone or empty now cannot be what the operator wants: a program is writing it anew, or it
   * was moved away by mistake. Without it, everything that it forbids would be allowed. What a gateway would not be
   * started with is not taken up by a running one either.
   */
  async #load(): Promise<LoadedConfig> {
    const paths = listConfigPaths(this.#parts.location);
    for (const { path } of this.#read.files) {
      if (!paths.includes(path)) continue;
      const text = await readFile(path, 'utf8').catch(() => undefined);
      if (text === undefined) throw new ConfigMissingError({ file: path });
      if (text.trim() === '') throw new ConfigUnreadableError({ file: path, detail: 'it is empty' });
    }
    return loadStartableConfig(this.#parts.location);
  }

  #keep(loaded: LoadedConfig): void {
    this.#parts.learn?.(loaded);
    this.#read = loaded;
    this.#parts.wasRead?.();
    this.#watch(loaded);
  }

  /** The set of included files may change, and so may the files of parts. */
  #watch({ files }: LoadedConfig): void {
    if (this.#isClosed) return;
    const own = this.#parts.parts().flatMap((part) => part.files?.() ?? []);
    const { location } = this.#parts;
    const variables = envFilePaths(location.environment);
    const read = [...listConfigPaths(location), ...files.map(({ path }) => path)];
    const wanted = [...new Set([...read, ...variables, ...own])];
    for (const file of this.#watched) if (!wanted.includes(file)) unwatchFile(file, this.#changed);
    const interval = this.#parts.pollMs ?? POLL_MS;
    for (const file of wanted) {
      if (!this.#watched.includes(file)) watchFile(file, { interval, persistent: false }, this.#changed);
    }
    this.#watched = wanted;
  }
}

/** A variable is no setting, so its file is named with it. */
function nameOf({ name, file }: EnvFileChange): string {
  return `${name} in ${file}`;
}

/** When a file was written, and its size; null for a file that does not exist. */
type Stamp = readonly [number, number] | null;

/** The settings that differ; what is not an object, such as a list, is named as a whole. An empty object says nothing. */
function changedPaths(before: object, after: object): readonly (readonly string[])[] {
  return keysOf(before, after)
    .filter((section) => !NOT_SETTINGS.has(section))
    .flatMap((section) => changedBelow([section], valueAt(before, [section]), valueAt(after, [section])));
}

function changedBelow(path: readonly string[], before: unknown, after: unknown): readonly (readonly string[])[] {
  if (isDeepStrictEqual(before, after)) return [];
  const [old = {}, next = {}] = [before, after];
  if (!isPlainObject(old) || !isPlainObject(next)) return [path];
  return keysOf(old, next).flatMap((key) => changedBelow([...path, key], old[key], next[key]));
}

function keysOf(...objects: readonly object[]): readonly string[] {
  return [...new Set(objects.flatMap((each) => Object.keys(each)))];
}

function hasChanged(path: string, before: LoadedConfig, after: LoadedConfig): boolean {
  const at = path.split('.');
  return !isDeepStrictEqual(valueAt(before.config, at), valueAt(after.config, at));
}
