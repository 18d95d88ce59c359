// The `hooks.internal` section of a configuration, read once into a safe shape: a value of a wrong type is treated as
// absent. Validation with messages is the config loader's work; this reader also gets sections that the loader did not
// check.

export interface InternalHooksSection {
  /** Exactly `true` or `false`; any other value is undefined here. */
  readonly enabled: boolean | undefined;
  readonly entries: ReadonlyMap<string, unknown>;
  /** Trimmed and not blank, otherwise as written: the caller resolves `~` and relative paths. */
  readonly extraDirs: readonly string[];
  readonly installs: ReadonlyMap<string, unknown>;
  /** Handlers in the older form `{ event, module, export }`, unchecked. */
  readonly handlers: readonly unknown[];
}

/** The type of a configuration in this folder: any object, which is validated elsewhere. */
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
  /** Whether the operator wants the pack in the gateway's own process. */
  readonly isInline: boolean;
}

/** The entry of one pack. An entry that is not an object is ignored. */
export function readHookEntry(section: InternalHooksSection, key: string): HookEntryConfig | undefined {
  const entry = section.entries.get(key);
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { enabled, env, isolation } = entry as Record<string, unknown>;
  return {
    enabled: typeof enabled === 'boolean' ? enabled : undefined,
    env: readObject(env),
    isInline: isolation === 'inline',
  };
}

function readObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function readArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
