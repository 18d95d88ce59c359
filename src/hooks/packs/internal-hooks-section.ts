// The `hooks.internal` section of a configuration, read once into a shape that cannot surprise: wrong types become
// absence. Validation with messages is the config loader's work; this reader also sees sections that it did not check.

export interface InternalHooksSection {
  /** Exactly `true` or `false`; anything else says nothing. */
  readonly enabled: boolean | undefined;
  readonly entries: ReadonlyMap<string, unknown>;
  /** Trimmed and not blank, as written: `~` and relative paths are the caller's to resolve. */
  readonly extraDirs: readonly string[];
  readonly installs: ReadonlyMap<string, unknown>;
  /** Handlers of the old kind, `{ event, module, export }`, unchecked. */
  readonly handlers: readonly unknown[];
}

/** What a configuration is to this folder: any object, validated elsewhere. */
export type HookConfig = Readonly<Record<string, unknown>> | undefined;

export function readInternalHooksSection(config: HookConfig): InternalHooksSection {
  const internal = readObject(readObject(config).hooks).internal;
  const section = readObject(internal);
  const extraDirs = readArray(readObject(section.load).extraDirs);
  return {
    enabled: typeof section.enabled === 'boolean' ? section.enabled : undefined,
    entries: new Map(Object.entries(readObject(section.entries))),
    extraDirs: extraDirs.flatMap((dir) => (typeof dir === 'string' && dir.trim() !== '' ? [dir.trim()] : [])),
    installs: new Map(Object.entries(readObject(section.installs))),
    handlers: readArray(section.handlers),
  };
}

export interface HookEntryConfig {
  readonly enabled: boolean | undefined;
  readonly env: Readonly<Record<string, unknown>>;
}

/** One pack's entry. An entry that is no object counts as none. */
export function readHookEntry(section: InternalHooksSection, key: string): HookEntryConfig | undefined {
  const entry = section.entries.get(key);
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { enabled, env } = entry as Record<string, unknown>;
  return { enabled: typeof enabled === 'boolean' ? enabled : undefined, env: readObject(env) };
}

function readObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function readArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
