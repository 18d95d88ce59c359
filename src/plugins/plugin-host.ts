// What a plugin may ask of the gateway that it runs in. Everything is asynchronous and takes and gives plain data, so
// that the same port serves plugins in the gateway and plugins in the worker. What a plugin expects to be synchronous is
// built on the plugin's side, from this and from its setup.
//
// Errors: rejects with an AtriumError that says what is wrong with the request. A host that is closed, or whose plugin
// is of an older generation, rejects with PluginGoneError, so that an unloaded plugin can no longer act.

import type { JsonObject, JsonValue } from '../protocol/json.ts';

export interface PluginHost {
  /** One line for the operator's log. Never rejects, never waits. */
  log(entry: PluginLogEntry): void;
  queueInjection(request: PluginInjection): Promise<{ readonly enqueued: boolean; readonly id: string }>;
  readSessionState(request: PluginStatePlace): Promise<JsonValue | undefined>;
  /** Replaces or removes what the plugin keeps under a namespace of a session. Gives what is there now. */
  patchSessionState(request: PluginStatePatch): Promise<JsonValue | undefined>;
  /** Text for the next run of a session, as an event and not as a person's message. */
  enqueueSystemEvent(request: { readonly text: string; readonly sessionKey: string }): Promise<boolean>;
  /** Sends a message to a surface, through the outbox. */
  sendMessage(request: PluginMessage): Promise<{ readonly runId: string }>;
  /** Puts a message into the inbox, as if a person had sent it, and gives the run. */
  startRun(request: PluginRunRequest): Promise<{ readonly runId: string; readonly sessionKey: string }>;
  waitForRun(request: {
    readonly runId: string;
    readonly timeoutMs?: number | undefined;
  }): Promise<{ readonly status: string; readonly reply?: string | undefined; readonly error?: string | undefined }>;
  /** The latest messages of a session, oldest first, in the form that hooks are given. */
  readSessionMessages(request: {
    readonly sessionKey: string;
    readonly limit?: number | undefined;
  }): Promise<{ readonly messages: readonly JsonValue[] }>;
  /** Removes a session that the plugin began, with all that was said in it. */
  deleteSession(request: { readonly sessionKey: string }): Promise<void>;
  resolveApproval(request: { readonly id: string; readonly decision: string }): Promise<void>;
  /** Calls a method of the gateway, its own or a plugin's. */
  callMethod(request: { readonly method: string; readonly params: JsonObject }): Promise<JsonValue | undefined>;
  cron(request: PluginCronRequest): Promise<JsonValue | undefined>;
  /** Writes the operator's configuration file; comments survive where the value did not change. */
  writeConfig(config: JsonObject): Promise<void>;
  /** The key of a model provider that is configured; undefined when there is none. */
  readProviderKey(provider: string): Promise<string | undefined>;
}

export interface PluginLogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly text: string;
}

export interface PluginInjection {
  readonly sessionKey: string;
  readonly text: string;
  readonly placement?: 'prepend' | 'append' | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly ttlMs?: number | undefined;
}

export interface PluginStatePlace {
  readonly sessionKey: string;
  readonly namespace: string;
}

export interface PluginStatePatch extends PluginStatePlace {
  readonly value?: JsonValue | undefined;
  readonly unset?: boolean | undefined;
}

export interface PluginMessage {
  readonly channel: string;
  readonly to: string;
  readonly text: string;
  readonly accountId?: string | undefined;
  readonly threadId?: string | undefined;
}

export interface PluginRunRequest {
  readonly message: string;
  readonly sessionKey?: string | undefined;
  readonly agentId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

export type PluginCronRequest =
  | { readonly op: 'list' | 'status' }
  | { readonly op: 'add'; readonly job: JsonObject }
  | { readonly op: 'update'; readonly id: string; readonly patch: JsonObject }
  | { readonly op: 'remove' | 'run'; readonly id: string };

/** Each plugin has its own host: what it asks for is done and recorded in its name. */
export type PluginHostFor = (pluginId: string) => PluginHost;
