// What all loaded plugins registered: tools, commands, routes and the rest are looked up here when
// they are needed, so that a load or an unload takes effect at once.

import type { LoadedPlugin } from './loaded-plugin.ts';
import type { PluginOrigin } from './plugin-setup.ts';
import type { CleanupReason, PluginRegistration, RegistrationKind } from './registration.ts';

export interface PluginRegistry {
  /** In the order of loading, and of registration within a plugin. */
  registered<Kind extends RegistrationKind>(kind: Kind): readonly Registered<Kind>[];
  /** Returns the undo. */
  subscribe(listener: PluginListener): () => void;
}

export interface Registered<Kind extends RegistrationKind> {
  readonly pluginId: string;
  readonly origin: PluginOrigin;
  /** The operator requires the plugin. */
  readonly isRequired?: boolean | undefined;
  readonly registration: Extract<PluginRegistration, { readonly kind: Kind }>;
}

/** When a listener throws, the operator is warned and the other listeners are told as usual. */
export interface PluginListener {
  /** Its registrations are armed already. The load waits for this. */
  loaded?(plugin: LoadedPlugin): void | Promise<void>;
  /** Its functions still work. The unload waits for this, up to a deadline. */
  unloading?(plugin: LoadedPlugin, reason: CleanupReason): void | Promise<void>;
}
