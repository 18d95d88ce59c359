// What a plugin's `register` function is given. Written for plugin authors: every function says what is done with its
// arguments. The names are those of OpenClaw, so that plugins run in both products.

import type { HookName } from '../../hooks/catalog.ts';
import type {
  BootstrapHookName,
  HandlerAnswer,
  HandlerContext,
  HookHandler,
  HookTypes,
  PackHookName,
} from '../../hooks/hook-types.ts';
import type { InternalHookEvent } from '../../protocol/bootstrap-event.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { PluginLogger } from '../api/plugin-logger.ts';
import type { PluginRuntime } from '../api/plugin-runtime.ts';
import type { PluginStatePatch, PluginStatePlace } from '../plugin-host.ts';
import type { CleanupReason, PluginCommandContext, PluginToolResult, PluginToolScope } from '../registration.ts';

export type PluginHookName = Exclude<HookName, BootstrapHookName | PackHookName>;

// biome-ignore lint/suspicious/noConfusingVoidType: a function of a plugin may simply return nothing
type Answer<Value> = Value | void | null | undefined | Promise<Value | void | null | undefined>;

/** What a plugin's handler finds in its event besides what every handler does. */
export interface PluginEventContext {
  readonly context: {
    /** The settings of the plugin that registered the handler, as they are now. */
    readonly pluginConfig: JsonObject;
  };
}

/** A table and not a conditional type, for the same reason as `HookHandlers`. */
export type PluginHookHandlers = {
  [Hook in PluginHookName]: (
    event: HookTypes[Hook]['event'] & PluginEventContext,
    context: HandlerContext<Hook>,
  ) => HandlerAnswer<Hook>;
};

/** The functions about sessions and runs stand here and in a group each; both are the same function. */
export interface PluginApi
  extends Pick<SessionStateApi, 'registerSessionExtension'>,
    SessionWorkflowApi,
    SessionControlsApi,
    LifecycleApi,
    AgentEventsApi,
    RunContextApi {
  readonly id: string;
  readonly name: string;
  readonly version?: string | undefined;
  readonly description?: string | undefined;
  /** The file that was loaded. */
  readonly source: string;
  readonly rootDir: string;
  /** `full` in a running gateway; anything else wants registrations only, and nothing that opens sockets or files. */
  readonly registrationMode: 'full' | 'cli-metadata';
  /** The whole configuration. It is a copy: changing it changes nothing. */
  readonly config: JsonObject;
  /** The plugin's own part of it, checked against its schema. */
  readonly pluginConfig: JsonObject;
  readonly logger: PluginLogger;
  readonly runtime: PluginRuntime;
  /** `~` is the operator's home; a relative path starts at the plugin's folder. */
  resolvePath(path: string): string;

  /** Listens to a hook. Whether it is armed, and if not why, is shown by `atrium plugins inspect`. */
  on<Hook extends PluginHookName>(hook: Hook, handler: PluginHookHandlers[Hook], options?: PluginHookOptions): void;
  /** Listens to events of hook packs, such as `command:new`. */
  registerHook(
    events: string | readonly string[],
    handler: (event: InternalHookEvent) => unknown,
    options?: { readonly name?: string; readonly description?: string },
  ): void;
  registerTool(tool: AgentTool | AgentToolFactory, options?: AgentToolOptions): void;
  /** A slash command that is answered without the model. */
  registerCommand(command: PluginCommand): void;
  /** Started and stopped with the gateway. */
  registerService(service: PluginService): void;
  /** Commands of `atrium` itself; `program` is commander's. */
  registerCli(registrar: (context: PluginCliContext) => unknown, options?: PluginCliOptions): void;
  registerGatewayMethod(method: string, handler: GatewayMethodHandler, options?: { readonly scope?: string }): void;
  /** Behind the gateway's token unless `auth` is `plugin`. */
  registerHttpRoute(route: PluginHttpRoute): void;
  /** For plugins that come with the product only. */
  registerTrustedToolPolicy(policy: {
    readonly id: string;
    readonly description: string;
    readonly evaluate: HookHandler<'before_tool_call'>;
  }): void;
  registerMemoryCapability(capability: MemoryCapability): void;
  /** Lines for the system prompt, beside those of the memory plugin. */
  registerMemoryPromptSupplement(builder: MemoryPromptBuilder): void;
  /** What `memory_search` and `memory_get` find besides the workspace's notes. */
  registerMemoryCorpusSupplement(supplement: MemoryCorpus): void;

  readonly session: {
    readonly state: SessionStateApi;
    readonly workflow: SessionWorkflowApi;
    readonly controls: SessionControlsApi;
  };
  readonly lifecycle: LifecycleApi;
  readonly agent: { readonly events: AgentEventsApi };
  readonly runContext: RunContextApi;
}

export interface SessionStateApi {
  registerSessionExtension(extension: SessionExtension): void;
  readSessionState(place: PluginStatePlace): Promise<JsonValue | undefined>;
  /** Gives what is there now. */
  patchSessionState(patch: PluginStatePatch): Promise<JsonValue | undefined>;
}

export interface SessionWorkflowApi {
  /** Text for the next run of a session, shown in exactly one completed run. */
  enqueueNextTurnInjection(
    injection: NextTurnInjection,
  ): Promise<{ readonly enqueued: boolean; readonly id: string; readonly sessionKey: string }>;
  registerSessionSchedulerJob(job: SessionSchedulerJob): SessionSchedulerJobHandle | undefined;
}

export interface SessionControlsApi {
  registerSessionAction(action: SessionAction): void;
}

export interface LifecycleApi {
  registerRuntimeLifecycle(lifecycle: RuntimeLifecycle): void;
}

export interface AgentEventsApi {
  registerAgentEventSubscription(subscription: AgentEventSubscription): void;
}

/** What the plugin remembers of a run while it goes on. */
export interface RunContextApi {
  setRunContext(patch: {
    readonly runId: string;
    readonly namespace: string;
    readonly value?: JsonValue;
    readonly unset?: boolean;
  }): boolean;
  getRunContext(place: { readonly runId: string; readonly namespace: string }): JsonValue | undefined;
  clearRunContext(place: { readonly runId: string; readonly namespace?: string }): void;
}

export interface PluginHookOptions {
  /** Higher is asked first. */
  readonly priority?: number;
  readonly timeoutMs?: number;
  /** The answer depends on the event alone and calling has no effect, so that previews may call it. */
  readonly pure?: boolean;
  /** What this handler adds to the message is sent with this run only, and left out of later requests. */
  readonly ephemeral?: boolean;
  /** Set for a handler of `message_sending` whose failure stops the message instead of being passed over. */
  readonly policy?: boolean;
}

export interface AgentTool {
  readonly name: string;
  readonly label?: string;
  readonly description: string;
  /** JSON Schema, or what builds one. */
  readonly parameters: unknown;
  /** Offered only where the sender is an owner. */
  readonly ownerOnly?: boolean;
  execute(
    toolCallId: string,
    params: Record<string, unknown>,
    signal?: AbortSignal,
  ): Answer<PluginToolResult | string | JsonValue>;
}

export type AgentToolFactory = (scope: AgentToolScope) => Answer<AgentTool | readonly AgentTool[]>;

export interface AgentToolScope extends PluginToolScope {
  readonly config: JsonObject;
}

export interface AgentToolOptions {
  readonly name?: string;
  /** What a factory will give, so that policies and `inspect` can name it. */
  readonly names?: readonly string[];
  /** Offered only where a policy allows it by name. */
  readonly optional?: boolean;
}

export interface PluginCommand {
  /** The name without the slash. */
  readonly name: string;
  readonly description: string;
  readonly acceptsArgs?: boolean;
  /** Only for senders that the operator trusts. The default is true. */
  readonly requireAuth?: boolean;
  handler(context: CommandContext): Answer<{ readonly text?: string; readonly continueAgent?: boolean } | string>;
}

export interface CommandContext
  extends Pick<
    PluginCommandContext,
    'senderId' | 'channel' | 'isAuthorizedSender' | 'sessionKey' | 'agentId' | 'args' | 'commandBody'
  > {
  readonly config: JsonObject;
}

export interface PluginService {
  readonly id: string;
  start(context: ServiceContext): unknown;
  stop?(context: ServiceContext): unknown;
}

export interface ServiceContext {
  readonly config: JsonObject;
  readonly workspaceDir: string;
  readonly stateDir: string;
  readonly logger: PluginLogger;
}

export interface PluginCliContext {
  readonly program: unknown;
  readonly parentPath: readonly string[];
  readonly config: JsonObject;
  readonly workspaceDir?: string;
  readonly logger: PluginLogger;
}

export interface PluginCliOptions {
  readonly commands?: readonly string[];
  readonly descriptors?: readonly {
    readonly name: string;
    readonly description: string;
    readonly hasSubcommands: boolean;
  }[];
  readonly parentPath?: readonly string[];
}

export type GatewayMethodHandler = (call: {
  readonly req: { readonly method: string; readonly params: JsonObject };
  readonly params: JsonObject;
  readonly client: { readonly id?: string | undefined } | null;
  readonly respond: (
    ok: boolean,
    payload?: unknown,
    error?: { readonly code?: string; readonly message?: string } | string,
  ) => void;
  readonly context: object;
}) => unknown;

export interface PluginHttpRoute {
  readonly path: string;
  /** Takes Node's request and response. */
  handler(request: unknown, response: unknown): unknown;
  /** `plugin`: the plugin checks for itself who may. */
  readonly auth?: 'gateway' | 'plugin';
  readonly match?: 'exact' | 'prefix';
}

export type MemoryPromptBuilder = (request: { readonly availableTools: Set<string> }) => readonly string[];

export interface MemoryCapability {
  readonly promptBuilder?: MemoryPromptBuilder;
  readonly runtime?: object;
}

export interface MemoryCorpus {
  search(request: { readonly query: string; readonly maxResults?: number }): Promise<readonly object[]>;
  get?(request: { readonly lookup: string }): Promise<object | null>;
}

export interface SessionExtension {
  readonly namespace: string;
  readonly description: string;
  project?(context: { readonly sessionKey: string; readonly state: JsonValue | undefined }): JsonValue | undefined;
  cleanup?(context: { readonly reason: CleanupReason; readonly sessionKey?: string }): unknown;
}

export interface NextTurnInjection {
  readonly sessionKey: string;
  readonly text: string;
  readonly placement?: 'prepend_context' | 'append_context';
  readonly idempotencyKey?: string;
  readonly ttlMs?: number;
}

export interface SessionSchedulerJob {
  readonly id: string;
  readonly sessionKey: string;
  readonly kind: string;
  cleanup?(context: { readonly reason: CleanupReason; readonly sessionKey: string; readonly jobId: string }): unknown;
}

export interface SessionSchedulerJobHandle extends Pick<SessionSchedulerJob, 'id' | 'sessionKey' | 'kind'> {
  readonly pluginId: string;
}

export interface SessionAction {
  readonly id: string;
  readonly description?: string;
  handler(context: {
    readonly pluginId: string;
    readonly actionId: string;
    readonly sessionKey?: string;
    readonly payload?: JsonValue;
  }): unknown;
}

export interface RuntimeLifecycle {
  readonly id: string;
  cleanup?(context: { readonly reason: CleanupReason; readonly sessionKey?: string; readonly runId?: string }): unknown;
}

export interface AgentEventSubscription {
  readonly id: string;
  readonly streams?: readonly string[];
  handle(event: JsonObject, context: object): unknown;
}
