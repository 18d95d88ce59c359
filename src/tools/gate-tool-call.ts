// Decides whether a tool call runs, and with which parameters: first the policy, then `before_tool_call`. The outcome
// is data; nothing runs here.
//
// Errors: none. A gate that fails is closed: a handler that throws, hangs or answers nonsense vetoes the call.

import type { HookAnswer } from '../hooks/runner.ts';
import type {
  ApprovalRequest,
  BeforeToolCallEvent,
  BeforeToolCallResult,
  ToolHookContext,
} from '../hooks/tool-hooks.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../protocol/json.ts';
import type { ToolCallPart } from '../protocol/message.ts';
import { nearMatch } from '../protocol/near-match.ts';
import type { Tool, ToolOutput } from './tool.ts';
import { normalizeToolName } from './tool-name.ts';

export type GateOutcome = GatePass | GateVeto;

export interface GatePass {
  readonly kind: 'run';
  readonly tool: Tool;
  /** As the hooks left them; not yet checked against the tool's schema. */
  readonly params: JsonObject;
}

export interface GateVeto {
  readonly kind: 'veto';
  /** What the model reads. */
  readonly reason: string;
  /** `policy`, or the owner of the handler that decided. */
  readonly by: string;
  readonly cause: 'unknown-tool' | 'no-object' | 'blocked' | 'hook-failed' | 'approval';
  /** What the last handler would have run, for the record. */
  readonly params: JsonValue;
}

/** The part of the hook runner that the gate needs. */
export interface ToolGateHooks {
  run(
    hook: 'before_tool_call',
    event: BeforeToolCallEvent,
    context: ToolHookContext,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<ToolGateAnswer>;
}

export type ToolGateAnswer = Pick<HookAnswer<'before_tool_call'>, 'result' | 'refusal' | 'decidedBy'>;

export interface GateOptions {
  /** The tools that the model was offered; no other one runs, whatever it is called. */
  readonly tools: readonly Tool[];
  readonly hooks: ToolGateHooks;
  readonly context: ToolHookContext;
  /** Ends the waiting for handlers when the run is stopped. */
  readonly signal?: AbortSignal | undefined;
}

/** A call as the model wrote it. */
export type WrittenCall = Pick<ToolCallPart, 'id' | 'name' | 'params'>;

export const BLOCKED_BY_HOOK = 'Tool call blocked by plugin hook';
export const HOOK_FAILED = 'Tool call blocked because before_tool_call hook failed';

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

  const answer = await askHooks(call, toolName, options);
  if (!answer) return veto('hook-failed', HOOK_FAILED, 'before_tool_call');
  const { result, refusal, decidedBy } = answer;
  if (refusal?.cause === 'failure') return veto('hook-failed', HOOK_FAILED, refusal.owner);
  const params = paramsAfterHooks(call.params, result);
  const by = refusal?.owner ?? decidedBy?.owner ?? 'before_tool_call';
  if (refusal || result.block) return veto('blocked', reasonOfBlock(result), by, params);
  if (result.requireApproval) return veto('approval', reasonWithoutApprovals(result.requireApproval), by, params);
  if (!isJsonObject(params)) {
    return veto('no-object', `The parameters of ${tool.name} are not a JSON object. Call it again with one.`, 'policy');
  }
  return { kind: 'run', tool, params };
}

/** A vetoed call has a result too. Being blocked is an outcome and no error; a broken gate and a wrong name are errors. */
export function vetoOutput({ reason, by, cause }: GateVeto): ToolOutput {
  const isError = cause === 'blocked' || cause === 'approval' ? {} : ({ isError: true } as const);
  return { content: reason, ...isError, details: { status: 'blocked', deniedReason: DENIED_REASONS[cause], by } };
}

/** A handler may give no reason, or one that nobody should have to read to its end. */
function reasonOfBlock({ blockReason }: BeforeToolCallResult): string {
  return (typeof blockReason === 'string' ? blockReason.trim().slice(0, MAX_REASON_CHARS) : '') || BLOCKED_BY_HOOK;
}

const MAX_REASON_CHARS = 2_000;

/** The plugin contract's names. */
const DENIED_REASONS = {
  'unknown-tool': 'unknown-tool',
  'no-object': 'invalid-params',
  blocked: 'plugin-before-tool-call',
  'hook-failed': 'plugin-before-tool-call',
  approval: 'plugin-approval',
} as const;

/** The one place to change once a person can be asked: until then, whatever needs an approval does not run. */
function reasonWithoutApprovals({ title }: ApprovalRequest): string {
  const what = typeof title === 'string' && title.trim() !== '' ? ` (${title.trim()})` : '';
  return `The call needs an approval, and approvals are not available yet${what}`;
}

async function askHooks(
  { id, params }: WrittenCall,
  toolName: string,
  { hooks, context, signal }: GateOptions,
): Promise<ToolGateAnswer | undefined> {
  const event: BeforeToolCallEvent = {
    toolName,
    params: isJsonObject(params) ? params : {},
    ...(context.runId === undefined ? {} : { runId: context.runId }),
    toolCallId: id,
  };
  try {
    return await hooks.run('before_tool_call', event, { ...context, toolName, toolCallId: id }, { signal });
  } catch {
    // The runner has recorded which handler it was; here only the outcome counts.
    return undefined;
  }
}

/** Parameters that nobody changed stay as the model wrote them, even where they are no object. */
function paramsAfterHooks(written: JsonValue, { params }: BeforeToolCallResult): JsonValue {
  if (!isJsonObject(params)) return written;
  return isJsonObject(written) ? { ...written, ...params } : params;
}

function describeUnknownTool(written: string, toolName: string, tools: readonly Tool[]): string {
  const names = tools.map(({ name }) => name).sort();
  const meant = nearMatch(toolName, names);
  const called = JSON.stringify(written.length > 60 ? `${written.slice(0, 59)}…` : written);
  if (names.length === 0) return `There is no tool ${called}; no tools are offered here.`;
  return `There is no tool ${called}.${meant ? ` Did you mean ${meant}?` : ''} The tools are: ${names.join(', ')}.`;
}
