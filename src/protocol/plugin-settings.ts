// The operator's settings for plugins: which ones may load, with which configuration, and what each is allowed to do.

export interface PluginSettings {
  /** False switches every plugin off, also the bundled ones. */
  readonly enabled: boolean;
  /** When the list is not empty, only these plugins load. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Absolute paths of files and folders in which plugins are looked for. */
  readonly loadPaths: readonly string[];
  /** The plugin that fills a role which only one plugin can have. Null leaves the role empty. */
  readonly slots: { readonly memory?: string | null | undefined };
  readonly entries: Readonly<Record<string, PluginEntry>>;
  readonly worker: PluginWorkerSettings;
}

export interface PluginEntry {
  /** Without a value, the place where the plugin was found decides. */
  readonly enabled?: boolean | undefined;
  /** No run may start while the plugin is not loaded. */
  readonly required?: boolean | undefined;
  readonly isolation?: 'worker' | 'inline' | undefined;
  /**
   * The plugin's own configuration as it is written. It is checked against the plugin's schema when the plugin loads.
   */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  readonly hooks: PluginHookSettings;
}

export interface PluginHookSettings {
  readonly timeoutMs?: number | undefined;
  readonly timeouts?: Readonly<Record<string, number>> | undefined;
  readonly allowConversationAccess?: boolean | undefined;
  readonly allowPromptInjection?: boolean | undefined;
}

export interface PluginWorkerSettings {
  /** The most memory that the worker's own objects may use. */
  readonly memoryMb: number;
  /** How long the worker may be silent before it counts as stuck. */
  readonly heartbeatMs: number;
}
