// What a plugin registered: plain data with the functions that the gateway calls. The gateway and the worker both use it.
// A plugin in the gateway gives its own functions; for a plugin in the worker, stand-ins call across. So every function
// may answer with a promise, also when the plugin's own function does not.
//
// Rules: arguments and answers are values that can be cloned, besides functions, signals and errors, which cross as
// stand-ins, and Node's requests and responses, which cross as bytes.

import type { RemoteHandlers } from '../hooks/remote-handlers.ts';
import type { InternalHookEvent } from '../protocol/bootstrap-event.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';

export type PluginRegistration = MayBeHeldUp & AnyRegistration;

type AnyRegistration =
  | HookHandlerRegistration
  | InternalHandlerRegistration
  | ToolRegistration
  | CommandRegistration
  | ServiceRegistration
  | CliRegistration
  | MethodRegistration
  | RouteRegistration
  | TrustedPolicyRegistration
  | SessionExtensionRegistration
  | SessionActionRegistration
  | LifecycleRegistration
  | AgentEventRegistration
  | MemoryCorpusRegistration
  | UnusedRegistration;

export type RegistrationKind = PluginRegistration['kind'];

/** The time in which others keep a plugin from its work does not count against the plugin's limits. */
export interface MayBeHeldUp {
  /** Set for plugins in the worker: whether the worker cannot come to this plugin's calls right now. */
  readonly isHeldUp?: (() => boolean) | undefined;
}

type Answer<Value = unknown> = Value | Promise<Value>;

/** `api.on`, as the plugin called it. Whether the hook exists and is allowed is decided when it is armed. */
export interface HookHandlerRegistration {
  readonly kind: 'hook';
  readonly hook: string;
  /** No other handler of the plugin for this hook has this id. */
  readonly id: string;
  readonly handler: (event: object, context: object) => Answer;
  readonly priority?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly pure?: boolean | undefined;
  readonly ephemeral?: boolean | undefined;
  readonly policy?: boolean | undefined;
  /** Set for plugins in the worker: how several handlers are asked with one message. */
  readonly remote?: RemoteHandlers | undefined;
}

/** `api.registerHook`: events of hook packs. */
export interface InternalHandlerRegistration {
  readonly kind: 'internal-hook';
  readonly name: string;
  readonly events: readonly string[];
  readonly description?: string | undefined;
  /** Returns what it added to `messages` and left in `context.bootstrapFiles`, because it works on a copy of the event. */
  readonly handler: (event: InternalHookEvent) => Answer<InternalHandlerAnswer>;
}

export interface InternalHandlerAnswer {
  readonly messages: readonly string[];
  /** Only of `agent:bootstrap`. */
  readonly bootstrapFiles?: readonly JsonObject[] | undefined;
}

export interface ToolRegistration {
  readonly kind: 'tool';
  /** As far as they are known without asking the factory. */
  readonly names: readonly string[];
  /** Offered only where a policy allows it by name. */
  readonly optional: boolean;
  /** The manifest names it. */
  readonly isDeclared: boolean;
  /** The tools for one caller; none when the plugin has nothing for it. */
  readonly make: (scope: PluginToolScope) => Answer<readonly PluginTool[]>;
}

/** What a factory is told, in the contract's names. */
export interface PluginToolScope {
  readonly workspaceDir?: string | undefined;
  readonly agentDir?: string | undefined;
  readonly agentId?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly activeModel?: { readonly provider: string; readonly modelId: string } | undefined;
  readonly messageChannel?: string | undefined;
  readonly agentAccountId?: string | undefined;
  readonly requesterSenderId?: string | undefined;
  readonly senderIsOwner?: boolean | undefined;
  readonly sandboxed?: boolean | undefined;
}

export interface PluginTool {
  readonly name: string;
  readonly label?: string | undefined;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: JsonObject;
  readonly execute: (toolCallId: string, params: JsonObject, signal: AbortSignal) => Answer<PluginToolResult>;
}

export interface PluginToolResult {
  readonly content: readonly { readonly type: string; readonly text?: string | undefined }[];
  readonly details?: JsonValue | undefined;
  readonly isError?: boolean | undefined;
}

export interface CommandRegistration {
  readonly kind: 'command';
  /** The name without the slash, in lower case. */
  readonly name: string;
  readonly description: string;
  readonly acceptsArgs: boolean;
  /** Only for senders that the operator trusts. The default is true. */
  readonly requireAuth: boolean;
  readonly handler: (context: PluginCommandContext) => Answer<PluginCommandAnswer | undefined>;
}

export interface PluginCommandContext {
  readonly senderId?: string | undefined;
  readonly channel: string;
  readonly channelId?: string | undefined;
  readonly isAuthorizedSender: boolean;
  readonly sessionKey?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly agentId?: string | undefined;
  /** What follows the command's name. */
  readonly args?: string | undefined;
  readonly commandBody: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly accountId?: string | undefined;
  readonly messageThreadId?: string | undefined;
}

export interface PluginCommandAnswer {
  readonly text?: string | undefined;
  /** The message goes on to the agent as well. */
  readonly continueAgent?: boolean | undefined;
}

export interface ServiceRegistration {
  readonly kind: 'service';
  readonly id: string;
  readonly start: () => Answer;
  readonly stop?: (() => Answer) | undefined;
}

export interface CliRegistration {
  readonly kind: 'cli';
  readonly commands: readonly string[];
  readonly parentPath: readonly string[];
  /** Takes the contract's context (`program`, `config`, `workspaceDir`, `logger`); present only where `atrium` runs it. */
  readonly registrar?: ((context: object) => Answer) | undefined;
}

/** A method of the gateway's API that the plugin answers. */
export interface MethodRegistration {
  readonly kind: 'method';
  readonly method: string;
  /** Rejects with the error that the plugin answered with. */
  readonly handler: (params: JsonObject, client: { readonly id?: string | undefined }) => Answer<JsonValue | undefined>;
}

export interface RouteRegistration {
  readonly kind: 'route';
  readonly path: string;
  readonly match: 'exact' | 'prefix';
  /** `gateway`: a caller needs the gateway's token. `plugin`: the plugin checks callers itself. */
  readonly auth: 'gateway' | 'plugin';
  /** Takes Node's request and response; false or undefined means that it did not answer, for the older kind. */
  readonly handler: (request: unknown, response: unknown) => Answer;
}

export interface TrustedPolicyRegistration {
  readonly kind: 'trusted-policy';
  readonly id: string;
  readonly description: string;
  readonly evaluate: (event: object, context: object) => Answer;
}

export type CleanupReason = 'disable' | 'reset' | 'delete' | 'restart';

export interface SessionExtensionRegistration {
  readonly kind: 'session-extension';
  readonly namespace: string;
  readonly description: string;
  readonly project?:
    | ((context: { readonly sessionKey: string; readonly sessionId?: string; readonly state?: JsonValue }) => Answer)
    | undefined;
  readonly cleanup?:
    | ((context: { readonly reason: CleanupReason; readonly sessionKey?: string }) => Answer)
    | undefined;
}

export interface SessionActionRegistration {
  readonly kind: 'session-action';
  readonly id: string;
  readonly description?: string | undefined;
  readonly handler: (context: JsonObject) => Answer;
}

export interface LifecycleRegistration {
  readonly kind: 'lifecycle';
  readonly id: string;
  readonly cleanup?:
    | ((context: { readonly reason: CleanupReason; readonly sessionKey?: string; readonly runId?: string }) => Answer)
    | undefined;
}

/** `runtime.events.onAgentEvent` and agent event subscriptions. */
export interface AgentEventRegistration {
  readonly kind: 'agent-event';
  readonly id: string;
  readonly streams?: readonly string[] | undefined;
  readonly handle: (event: JsonObject) => Answer;
}

/** What `memory_search` and `memory_get` find besides the workspace's own notes. */
export interface MemoryCorpusRegistration {
  readonly kind: 'memory-corpus';
  readonly search: (request: {
    readonly query: string;
    readonly maxResults?: number;
    readonly agentSessionKey?: string;
  }) => Answer<readonly JsonObject[]>;
  readonly get?: ((request: { readonly lookup: string }) => Answer<JsonObject | null>) | undefined;
}

/** A registration that is accepted and not used, so that the rest of the plugin works. */
export interface UnusedRegistration {
  readonly kind: 'unused';
  /** The name of the function that the plugin called, such as `registerSpeechProvider`. */
  readonly registrar: string;
  readonly id?: string | undefined;
}
