// The Tool contract: something that a model may ask for.
//
// Errors: `run` may throw; the message becomes an error result that the model reads. ToolInputError is for parameters
// that make no sense and says what would. A `decide` that throws is a refusal.
// Rules: `decide` and `run` get parameters that fit `parameters`; what a schema cannot say the tool checks itself, since
// they are a model's words. It contains every path after links are followed.
// It honours the signal. `idempotent` means that running it again after a crash does no harm; then it is run again, and
// otherwise the model is told that the call was interrupted. A tool that has `decide` does what its `grant` allows and
// nothing without one: what it decided may have changed by the time it runs.
// When it fires: `decide` after the hooks have left the parameters as they are and the parameters fit the schema, and
// again whenever a waiting run goes on. It has no effect. `awaits` after the other calls of the same step have settled.

import type { Surface } from '../protocol/inbound.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { Requester } from '../protocol/requester.ts';
import type { Write } from '../store/store.ts';

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the parameters. */
  readonly parameters: JsonObject;
  readonly idempotent: boolean;
  /** Who brought it, where that is not the product: a plugin, or `bundle-mcp`. */
  readonly owner?: string | undefined;
  /** Set for a tool that an API client runs; its parameters are checked there, and its calls wait for the client. */
  readonly isRunByClient?: true | undefined;
  /** Passed on to providers that can hold a model to the schema. */
  readonly strict?: true | undefined;
  /** Offered only where a policy names the tool or its owner. */
  readonly isOptional?: boolean | undefined;
  /** For a tool that bounds itself; otherwise every call has the same time. */
  readonly timeoutMs?: number | undefined;
  /** For a tool whose answers are bounded by the operator; otherwise all are bounded alike. */
  readonly maxChars?: number | undefined;
  /** The files that a call names, as written, for handlers who look at paths. */
  derivedPaths?(params: JsonObject): readonly string[];
  /** Whether this call may run. Undefined when the tool does not object. */
  decide?(params: JsonObject, caller: ToolCaller): Promise<ToolDecision | undefined>;
  /**
   * What the call waits for before it runs; undefined when it can run now. Its run is suspended without a slot until then,
   * and `run` is called when the wait is over. Only tools of the product may wait.
   */
  awaits?(params: JsonObject, caller: ToolCaller): Promise<ToolWait | undefined>;
  run(params: JsonObject, context: ToolContext): Promise<ToolOutput>;
}

export interface ToolWait {
  /** The keys of the sessions whose end is awaited; none when the client is awaited. */
  readonly awaited: readonly string[];
  readonly isAnyEnough: boolean;
  readonly timeoutMs: number;
}

/** Who calls the tool, and for which session and sender. */
export interface ToolCaller {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly toolCallId: string;
  readonly workspaceDir: string;
  readonly requester: Requester;
  /** Where the run answers. */
  readonly surface: Surface;
}

export interface ToolContext extends ToolCaller {
  readonly signal: AbortSignal;
  /** The sessions that the call has waited for; undefined when it did not have to wait. */
  readonly waitedFor?: readonly string[] | undefined;
  /** What the client brought as the result of the call. */
  readonly given?: JsonValue | undefined;
  /** What let this call pass, for tools that decide. */
  readonly grant?: ToolGrant | undefined;
}

/** A tool's own decision about a call, with its reason. */
export type ToolDecision =
  | { readonly kind: 'allow'; readonly grant: ToolGrant }
  | { readonly kind: 'deny'; readonly reason: string }
  | ToolQuestion;

/** A person must say yes first. */
export interface ToolQuestion {
  readonly kind: 'ask';
  readonly title: string;
  /** Exactly what would happen, for the person who decides. */
  readonly description: string;
  readonly severity: 'info' | 'warning' | 'critical';
  /** The rule that "allow-always" would write; null when no rule is possible. */
  readonly rule: AllowedCommand | null;
}

/** A command that may run without asking: its words, and the folder relative to the workspace. */
export interface AllowedCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
}

export type ToolGrant =
  /** A rule names this very command, so it is run as these words and never by a shell. */
  | { readonly kind: 'rule'; readonly rule: string; readonly argv: readonly string[] }
  /** A person approved the call. `argv` is set where a rule allows the same words without a question. */
  | { readonly kind: 'approval'; readonly approvalId: string; readonly argv?: readonly string[] | undefined }
  /** The operator's settings allow all commands without a question. */
  | { readonly kind: 'policy'; readonly rule: string };

export interface ToolOutput {
  /** What the model reads. */
  readonly content: string;
  readonly isError?: true | undefined;
  /** For people and programs; never sent to a model. */
  readonly details?: JsonValue | undefined;
  /**
   * Writes that are committed together with the result, so that neither exists without the other. Only those of tools of
   * the product are read.
   */
  readonly writes?: readonly Write[] | undefined;
}
