// What the operator says about plugins: which may load, with what configuration, and what each is allowed.

export interface PluginSettings {
  /** False switches every plugin off, the bundled ones too. */
  readonly enabled: boolean;
  /** When there are any, only these load. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Files and folders to look for plugins in, absolute. */
  readonly loadPaths: readonly string[];
  /** Who fills a place that only one plugin can have; null leaves it empty. */
  readonly slots: { readonly memory?: string | null | undefined };
  readonly entries: Readonly<Record<string, PluginEntry>>;
  readonly worker: PluginWorkerSettings;
}

export interface PluginEntry {
  /** Undefined leaves it to where the plugin comes from. */
  readonly enabled?: boolean | undefined;
  readonly isolation?: 'worker' | 'inline' | undefined;
  /** The plugin's own, as written; checked against its schema when it loads. */
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
  /** The most that the worker's own objects may take. */
  readonly memoryMb: number;
  /** How long the worker may be silent before it counts as stuck. */
  readonly heartbeatMs: number;
}
