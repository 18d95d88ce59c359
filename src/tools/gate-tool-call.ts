// Decides whether a tool call runs, and with which parameters: first the policies, then `before_tool_call`, then the tool
// itself. The outcome is data; nothing runs here, and no person is asked here.
//
// Errors: none. A gate that fails is closed: a handler that throws, hangs or answers nonsense vetoes the call, and so
// does a tool that cannot decide.

import { isAbsolute, resolve } from 'node:path';
import { strictest } from '../hooks/combine/combinators.ts';
import type { HookAnswer } from '../hooks/runner.ts';
import type {
  ApprovalRequest,
  BeforeToolCallEvent,
  BeforeToolCallResult,
  ToolHookContext,
} from '../hooks/tool-hooks.ts';
import { APPROVAL_DECISIONS, type ApprovalDecision, type ApprovalResolution } from '../protocol/approval-decision.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../protocol/json.ts';
import type { ToolCallPart } from '../protocol/message.ts';
import { nearMatch } from '../protocol/near-match.ts';
import { clip, errorText } from '../protocol/one-line.ts';
import { checkParams } from './check-params.ts';
import type { AllowedCommand, Tool, ToolCaller, ToolDecision, ToolGrant, ToolOutput, ToolQuestion } from './tool.ts';
import { normalizeToolName } from './tool-name.ts';
import { askTrustedPolicies, type TrustedPolicy } from './trusted-policy.ts';

export type GateOutcome = GatePass | GateAsk | GateVeto;

export interface GatePass {
  readonly kind: 'run';
  readonly tool: Tool;
  /** As the hooks left them; not yet checked against the tool's schema. */
  readonly params: JsonObject;
  /** What the tool itself based its consent on. */
  readonly grant?: ToolGrant | undefined;
}

/** A person must say yes first, and gets to see all of this. */
export interface GateAsk {
  readonly kind: 'ask';
  readonly tool: Tool;
  readonly params: JsonObject;
  /** The parameters before the handlers that asked changed them. A refusal is recorded with these. */
  readonly written: JsonValue;
  /** The tool, or the plugins whose handlers asked. */
  readonly askedBy: string;
  readonly title: string;
  readonly description: string;
  readonly severity: 'info' | 'warning' | 'critical';
  readonly allowedDecisions: readonly ApprovalDecision[];
  /** The asker's own settings; the operator's settings are used for what is missing. */
  readonly timeoutMs?: number | undefined;
  readonly timeoutBehavior?: 'allow' | 'deny' | undefined;
  readonly rule: AllowedCommand | null;
  /** What the tool itself allows; an approval does not allow more than that. */
  readonly grant?: ToolGrant | undefined;
  readonly onResolution?: ApprovalRequest['onResolution'];
}

export interface GateVeto {
  readonly kind: 'veto';
  /** What the model reads. */
  readonly reason: string;
  /** `policy`, or the owner of the handler that decided. */
  readonly by: string;
  readonly cause: 'unknown-tool' | 'no-object' | 'blocked' | 'hook-failed' | 'denied' | 'approval';
  /** What was refused: the parameters before the handlers that decided changed them. */
  readonly params: JsonValue;
}

/** The part of the hook runner that the gate needs. */
export interface ToolGateHooks {
  run(
    hook: 'before_tool_call',
    event: BeforeToolCallEvent,
    context: ToolHookContext,
    options?: { readonly signal?: AbortSignal | undefined; readonly derive?: EventDerivation | undefined },
  ): Promise<ToolGateAnswer>;
}

/** Computes the fields of an event that follow from the others, after a handler rewrote those. */
type EventDerivation = (event: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

export type ToolGateAnswer = Pick<HookAnswer<'before_tool_call'>, 'result' | 'refusal' | 'decidedBy'>;

export interface GateOptions {
  /** The tools that the model was offered; no other one runs, whatever it is called. */
  readonly tools: readonly Tool[];
  /** Asked before any hook. */
  readonly trustedPolicies?: (() => readonly TrustedPolicy[]) | undefined;
  readonly hooks: ToolGateHooks;
  readonly context: ToolHookContext;
  readonly caller: ToolCaller;
  /** Ends the waiting for handlers when the run is stopped. */
  readonly signal?: AbortSignal | undefined;
}

/** A call as the model wrote it. */
export type WrittenCall = Pick<ToolCallPart, 'id' | 'name' | 'params'>;

const BLOCKED_BY_HOOK = 'Tool call blocked by plugin hook';
const BLOCKED_BY_POLICY = 'Tool call blocked by trusted plugin policy';
const HOOK_FAILED = 'Tool call blocked because before_tool_call hook failed';

export async function gateToolCall(call: WrittenCall, options: GateOptions): Promise<GateOutcome> {
  const { tools } = options;
  const toolName = normalizeToolName(call.name);
  const veto = (cause: GateVeto['cause'], reason: string, by: string, params = call.params): GateVeto => ({
    kind: 'veto',
    reason,
    by,
    cause,
    params,
  });

  const tool = tools.find(({ name }) => normalizeToolName(name) === toolName);
  if (!tool) return veto('unknown-tool', describeUnknownTool(call.name, toolName, tools), 'policy');

  const eventOf = (params: JsonObject) => eventFor(call, toolName, params, tool, options);
  const policy = await askTrustedPolicies(options.trustedPolicies?.() ?? [], {
    eventOf,
    params: isJsonObject(call.params) ? call.params : {},
    context: { ...options.context, toolName, toolCallId: call.id },
    signal: options.signal,
  });
  if (policy.kind === 'failed') return veto('hook-failed', HOOK_FAILED, policy.by);
  if (policy.kind === 'veto') return veto('blocked', reasonOfBlock(policy.result, BLOCKED_BY_POLICY), policy.by);
  // What a person is asked about is a change of the call; without a question, the policy says what is called.
  const governed = policy.result.requireApproval
    ? paramsAfter(call.params, policy.result)
    : (policy.result.params ?? call.params);

  const answer = await askHooks(eventOf(isJsonObject(governed) ? governed : {}), eventOf, options);
  if (!answer) return veto('hook-failed', HOOK_FAILED, 'before_tool_call');
  const { result, refusal, decidedBy } = answer;
  if (refusal?.cause === 'failure') return veto('hook-failed', HOOK_FAILED, refusal.owner);
  const params = paramsAfter(governed, result);
  const by = refusal?.owner ?? decidedBy?.owner ?? 'before_tool_call';
  if (refusal || result.block) return veto('blocked', reasonOfBlock(result, BLOCKED_BY_HOOK), by, governed);
  if (!isJsonObject(params)) {
    return veto('no-object', `The parameters of ${tool.name} are not a JSON object. Call it again with one.`, 'policy');
  }
  // No person is asked about a call that cannot run; running it tells the model what is wrong with it.
  if (!(await canRun(tool, params))) return { kind: 'run', tool, params };

  const decision = await askTool(tool, params, options);
  if (decision?.kind === 'deny') return veto('denied', decision.reason, tool.name, params);
  const question = decision?.kind === 'ask' ? decision : undefined;
  const requests = [...requestsOf(policy.result), ...requestsOf(result)];
  const grant = decision?.kind === 'allow' ? decision.grant : undefined;
  const [request, ...others] = requests;
  const written = policy.result.requireApproval ? call.params : governed;
  if (request) return { ...askFor(tool, params, [request, ...others], question), written, grant };
  if (question)
    return { ...question, tool, params, written: params, askedBy: tool.name, allowedDecisions: decisionsOf(question) };
  return { kind: 'run', tool, params, grant };
}

function requestsOf({ requireApproval, alsoAsked = [] }: BeforeToolCallResult): readonly ApprovalRequest[] {
  return requireApproval ? [requireApproval, ...alsoAsked] : [];
}

/** Joins all requests for an approval: the person reads each of them, and each asker is told the answer. */
function askFor(
  tool: Tool,
  params: JsonObject,
  requests: readonly [ApprovalRequest, ...ApprovalRequest[]],
  question: ToolQuestion | undefined,
): Omit<GateAsk, 'written'> {
  const severities = [...requests.map(severityOf), question?.severity];
  return {
    kind: 'ask',
    tool,
    params,
    askedBy: [...new Set(requests.map(askerOf))].join(', '),
    title: bounded(requests[0].title, MAX_TITLE_CHARS) || `Call ${tool.name}`,
    description: [...describeRequests(requests), question?.description ?? describeCall(tool, params)].join('\n\n'),
    severity: severities.reduce((before, next) => strictest(SEVERITIES, before, next)) ?? 'warning',
    allowedDecisions: offeredDecisions(requests),
    timeoutMs: shortestOf(requests),
    timeoutBehavior: timeoutBehaviorOf(requests, question),
    rule: question?.rule ?? null,
    onResolution: (resolution) => Promise.all(requests.map((request) => tellResolution(request, resolution))),
  };
}

function askerOf({ pluginId = 'before_tool_call' }: ApprovalRequest): string {
  return pluginId;
}

/** With the asker's name when there are several. */
function describeRequests(requests: readonly ApprovalRequest[]): readonly string[] {
  const described = requests.map((request, index) => {
    const text = bounded(request.description, MAX_DESCRIPTION_CHARS);
    if (requests.length === 1) return text;
    const title = index === 0 ? '' : `${bounded(request.title, MAX_TITLE_CHARS)}: `;
    return `${askerOf(request)}: ${title}${text}`;
  });
  return described.filter((text) => text !== '');
}

/** A handler that fails at the answer does not keep it from the others. */
async function tellResolution({ onResolution }: ApprovalRequest, resolution: ApprovalResolution): Promise<void> {
  try {
    await onResolution?.(resolution);
  } catch {
    // The decision does not depend on it.
  }
}

/** The decisions that all askers offer, and always `deny`. */
function offeredDecisions(requests: readonly ApprovalRequest[]): readonly ApprovalDecision[] {
  return APPROVAL_DECISIONS.filter(
    (decision) =>
      decision === 'deny' ||
      requests.every(({ allowedDecisions }) => {
        const known = (allowedDecisions ?? []).filter((each) => APPROVAL_DECISIONS.includes(each));
        return known.length === 0 || known.includes(decision);
      }),
  );
}

function shortestOf(requests: readonly ApprovalRequest[]): number | undefined {
  const wished = requests.flatMap(({ timeoutMs }) => (isDuration(timeoutMs) ? [timeoutMs] : []));
  return wished.length === 0 ? undefined : Math.min(...wished);
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

/**
 * What a timeout means: `deny` as soon as one asker says so, and `allow` only when all do and the tool itself does not
 * ask.
 */
function timeoutBehaviorOf(
  requests: readonly ApprovalRequest[],
  question: ToolQuestion | undefined,
): GateAsk['timeoutBehavior'] {
  const wishes = requests.map(({ timeoutBehavior }) => timeoutBehavior);
  if (wishes.includes('deny')) return 'deny';
  return !question && wishes.every((wish) => wish === 'allow') ? 'allow' : undefined;
}

/** The person always sees what would run, besides the asker's own description. */
function describeCall(tool: Tool, params: JsonObject): string {
  return `${tool.name} ${JSON.stringify(params, null, 2)}`;
}

const SEVERITIES = ['info', 'warning', 'critical'] as const;
const MAX_TITLE_CHARS = 200;
const MAX_DESCRIPTION_CHARS = 4_000;

function severityOf({ severity }: ApprovalRequest): (typeof SEVERITIES)[number] | undefined {
  return SEVERITIES.find((each) => each === severity);
}

/** `allow-always` is offered only where a rule can be written. */
function decisionsOf({ rule }: ToolQuestion): readonly ApprovalDecision[] {
  return rule === null ? ['allow-once', 'deny'] : APPROVAL_DECISIONS;
}

function bounded(text: string, maxChars: number): string {
  return text.trim().slice(0, maxChars);
}

async function canRun(tool: Tool, params: JsonObject): Promise<boolean> {
  try {
    return (await checkParams(tool, params)).length === 0;
  } catch {
    return false;
  }
}

async function askTool(tool: Tool, params: JsonObject, { caller }: GateOptions): Promise<ToolDecision | undefined> {
  try {
    return await tool.decide?.(params, caller);
  } catch (error) {
    const why = errorText(error);
    return { kind: 'deny', reason: `The call was refused: ${bounded(why, MAX_REASON_CHARS)}` };
  }
}

/**
 * The result of a vetoed call. A block is a normal outcome; a failed hook, a wrong name and an approval that was not given
 * are errors, as the plugin contract has it.
 */
export function vetoOutput({ reason, by, cause }: GateVeto): ToolOutput {
  const isError = cause === 'blocked' || cause === 'denied' ? {} : ({ isError: true } as const);
  return { content: reason, ...isError, details: { status: 'blocked', deniedReason: DENIED_REASONS[cause], by } };
}

/** A handler may give no reason, or one that is too long. */
function reasonOfBlock({ blockReason }: BeforeToolCallResult, otherwise: string): string {
  const isGiven = typeof blockReason === 'string' && blockReason.trim() !== '';
  return isGiven ? blockReason.slice(0, MAX_REASON_CHARS) : otherwise;
}

const MAX_REASON_CHARS = 2_000;

/** The plugin contract's names. */
const DENIED_REASONS = {
  'unknown-tool': 'unknown-tool',
  'no-object': 'invalid-params',
  blocked: 'plugin-before-tool-call',
  'hook-failed': 'plugin-before-tool-call',
  denied: 'tool-policy',
  approval: 'plugin-approval',
} as const;

async function askHooks(
  event: BeforeToolCallEvent,
  eventOf: (params: JsonObject) => BeforeToolCallEvent,
  { hooks, context, signal }: GateOptions,
): Promise<ToolGateAnswer | undefined> {
  const { toolName, toolCallId } = event;
  const derive: EventDerivation = (rewritten) => ({ ...eventOf(rewritten.params as JsonObject) });
  try {
    return await hooks.run('before_tool_call', event, { ...context, toolName, toolCallId }, { signal, derive });
  } catch {
    // The runner has recorded which handler it was; here only the outcome counts.
    return undefined;
  }
}

function eventFor(
  { id }: WrittenCall,
  toolName: string,
  params: JsonObject,
  tool: Tool,
  { context, caller }: GateOptions,
): BeforeToolCallEvent {
  const paths = tool.derivedPaths?.(params);
  return {
    toolName,
    params,
    ...(paths && paths.length > 0
      ? { derivedPaths: paths.map((path) => absolutePath(path, caller.workspaceDir)) }
      : {}),
    ...(context.runId === undefined ? {} : { runId: context.runId }),
    toolCallId: id,
  };
}

/** Where a path that a model wrote leads, without asking what is there. */
function absolutePath(path: string, workspaceDir: string): string {
  return isAbsolute(path) ? path : resolve(workspaceDir, path);
}

/** Parameters that no handler changed stay as the model wrote them, even when they are no object. */
function paramsAfter(written: JsonValue, { params }: BeforeToolCallResult): JsonValue {
  if (!isJsonObject(params)) return written;
  return isJsonObject(written) ? { ...written, ...params } : params;
}

function describeUnknownTool(written: string, toolName: string, tools: readonly Tool[]): string {
  const names = tools.map(({ name }) => name).sort();
  const meant = nearMatch(toolName, names);
  const called = JSON.stringify(clip(written, 60));
  if (names.length === 0) return `There is no tool ${called}; no tools are offered here.`;
  return `There is no tool ${called}.${meant ? ` Did you mean ${meant}?` : ''} The tools are: ${names.join(', ')}.`;
}
