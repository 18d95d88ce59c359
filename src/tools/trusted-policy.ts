// The policies of plugins that come with the product. They are asked before any hook. They run one
// after the other in the order in which they were registered, each on the parameters that the one before it left.
//
// Errors: none. A policy that throws, takes longer than its time or answers nonsense is a refusal.

import type { AnswerFields } from '../hooks/combine/answer-shape.ts';
import { combineToolCall } from '../hooks/combine/before-tool-call.ts';
import { isolatedCopy } from '../hooks/isolated-copy.ts';
import type { BeforeToolCallEvent, BeforeToolCallResult, ToolHookContext } from '../hooks/tool-hooks.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import { timeLimit } from '../protocol/time-limit.ts';

export interface TrustedPolicy {
  readonly id: string;
  readonly pluginId: string;
  /** Answers as a handler of `before_tool_call` does, or with `{ allow: false, reason }`; nothing is no objection. */
  readonly evaluate: (event: BeforeToolCallEvent, context: PolicyContext) => unknown;
}

export type PolicyContext = ToolHookContext & { readonly signal: AbortSignal };

export type PolicyAnswer =
  | { readonly kind: 'none'; readonly result: BeforeToolCallResult }
  | {
      readonly kind: 'veto';
      readonly result: BeforeToolCallResult;
      readonly by: string;
      readonly reason: string | undefined;
    }
  | { readonly kind: 'failed'; readonly by: string };

export interface PolicyQuestion {
  /** The event for these parameters. */
  readonly eventOf: (params: JsonObject) => BeforeToolCallEvent;
  readonly params: JsonObject;
  readonly context: ToolHookContext;
  readonly signal?: AbortSignal | undefined;
}

/** As long as a hook of the same place may take. */
const POLICY_TIMEOUT_MS = 15_000;

export async function askTrustedPolicies(
  policies: readonly TrustedPolicy[],
  question: PolicyQuestion,
  timeoutMs = POLICY_TIMEOUT_MS,
): Promise<PolicyAnswer> {
  let result: AnswerFields = {};
  for (const policy of policies) {
    const { pluginId: owner } = policy;
    const params = (result as BeforeToolCallResult).params ?? question.params;
    const event = question.eventOf(params);
    try {
      const answer = await evaluate(policy, isolatedCopy(event), question, timeoutMs);
      const decision = decisionOf(answer, policy.id);
      const combined = combineToolCall(result, decision, { owner, event: { ...event } });
      result = { ...combined.result, ...replacedParams(decision) };
      if (combined.refusal === undefined) continue;
      const { blockReason } = result as BeforeToolCallResult;
      return { kind: 'veto', result: result as BeforeToolCallResult, by: owner, reason: blockReason };
    } catch {
      return { kind: 'failed', by: owner };
    }
  }
  return { kind: 'none', result: result as BeforeToolCallResult };
}

/** A policy's parameters take the place of what was there, where those of a handler are merged over it. */
function replacedParams(decision: unknown): { readonly params?: JsonObject } {
  return isJsonObject(decision) && isJsonObject(decision.params) ? { params: decision.params } : {};
}

async function evaluate(
  policy: TrustedPolicy,
  event: BeforeToolCallEvent,
  { context, signal }: PolicyQuestion,
  timeoutMs: number,
): Promise<unknown> {
  const limit = timeLimit(timeoutMs, () => new Error(`${policy.id} timed out`), ...(signal ? [signal] : []));
  try {
    limit.signal.throwIfAborted();
    const over = new Promise<never>((_, reject) => {
      limit.signal.addEventListener('abort', () => reject(limit.signal.reason), { once: true });
    });
    return await Promise.race([over, policy.evaluate(event, { ...context, signal: limit.signal })]);
  } finally {
    limit.clear();
  }
}

/**
 * `allow: false` means a block with `reason`, `block: true` one with `blockReason`. Without a reason, the reason names the
 * policy.
 */
function decisionOf(answer: unknown, id: string): unknown {
  if (!isJsonObject(answer)) return answer;
  if (answer.allow === false) return { block: true, blockReason: textOf(answer.reason) ?? `blocked by ${id}` };
  if (answer.block === true) return { ...answer, blockReason: textOf(answer.blockReason) ?? `blocked by ${id}` };
  return answer;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
