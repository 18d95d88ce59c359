// The tool calls of one model answer: each passes the gate, those that passed run side by side, a few at a time, and
// their results come back in the order of the calls. A call that started is not started again: after a crash the model is told that it was
// interrupted, unless the tool says that a second time does no harm.

import { createHash } from 'node:crypto';
import type { ApprovalResolution } from '../protocol/approval-decision.ts';
import { RunStoppedError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/json.ts';
import { isJsonObject } from '../protocol/json.ts';
import { type AssistantMessage, type ToolCallPart, type ToolMessage, toolCallsOf } from '../protocol/message.ts';
import { requesterOf } from '../protocol/requester.ts';
import type { Write } from '../store/store.ts';
import type { ApprovalRow } from '../store/tables.ts';
import { type GateAsk, type GatePass, type GateVeto, gateToolCall, vetoOutput } from '../tools/gate-tool-call.ts';
import { runTool } from '../tools/run-tool.ts';
import type { Tool, ToolCaller, ToolOutput } from '../tools/tool.ts';
import type { Conversation, PendingCalls } from './conversation.ts';
import { type StartedCall, stepsOf } from './journal.ts';
import { rewriterOf, type SaidMessage } from './message-spans.ts';
import type { Turn } from './open-turn.ts';
import type { RunParts } from './run-parts.ts';
import { type ApprovalSubject, type SoughtApproval, seekApproval } from './seek-approval.ts';
import { type Suspension, tellVoid } from './suspend-run.ts';
import { rewritersOf, writeMessage } from './write-message.ts';

/** How many tools of one run work at the same time. */
const MOST_AT_ONCE = 8;

/**
 * Gates the calls in order, and writes down that they start. When one of them needs a person who has not answered yet,
 * none of them starts.
 */
export async function startToolCalls(
  parts: RunParts,
  turn: Turn,
  conversation: Conversation,
  message: AssistantMessage,
): Promise<PendingCalls | Suspension> {
  const tools = await offeredTools(parts, turn, conversation);
  const stored = conversation.asked ? await unspentApprovals(parts, turn) : [];
  const calls: StartedCall[] = [];
  const sought: SoughtApproval[] = [];
  const resolutions: (() => void)[] = [];
  for (const [index, call] of toolCallsOf(message).entries()) {
    const { id } = call;
    const gate = await gateToolCall(call, {
      tools,
      hooks: parts.hooks,
      context: { ...turn.context, toolCallId: id },
      caller: callerOf(turn, id),
      signal: turn.signal,
    });
    turn.signal.throwIfAborted();
    if (gate.kind !== 'ask') {
      const denial = stored.find(({ toolCallId, decision }) => toolCallId === id && decision === 'deny');
      const veto = gate.kind === 'run' && denial ? vetoOf(denial, gate.params) : gate;
      calls.push(veto.kind === 'run' ? passed(veto, id) : vetoed(call, veto));
      continue;
    }
    const approval = seekApproval(gate, subjectOf(parts, turn, conversation, id, index), stored);
    sought.push(approval);
    if (approval.kind !== 'answered') continue;
    calls.push(answered(call, gate, approval.approval));
    resolutions.push(() => tellResolution(gate.onResolution, approval.approval.decision));
  }
  // Whether or not anybody would still ask: a run that was stopped while it waited does not go on.
  const cancelled = stored.find(({ decision }) => decision === 'cancelled');
  if (cancelled) {
    for (const tell of resolutions) tell();
    throw new RunStoppedError(cancelled.decidedBy ?? 'somebody stopped it while it waited');
  }
  const isWaiting = sought.some(({ kind }) => kind !== 'answered');
  if (isWaiting) return suspensionOf(message, sought, conversation.asked !== undefined);

  const { message: written, rewrittenBy } = await writeMessage(parts, turn, message);
  const meta = rewriterOf('model', rewrittenBy);
  // Nobody asks for these any more, so nobody needs to answer them. Whoever has done so meanwhile is heard first.
  const voids = stored.filter(({ status }) => status === 'waiting').map(({ id }) => id);
  await turn.ledger.commit('tool-start', [
    turn.ledger.entry(written, { meta }),
    turn.ledger.step('tool-start', {
      calls: calls as unknown as readonly JsonObject[],
      spent: stored.map(({ id }) => id),
    }),
    ...voids.map(
      (id): Write => ({ update: 'approvals', where: { id, status: 'waiting' }, set: { status: 'void' }, expect: 1 }),
    ),
  ]);
  tellVoid(parts, turn, voids);
  for (const tell of resolutions) tell();
  return { kind: 'pending', message: written as AssistantMessage, meta, calls, results: new Map(), isResumed: false };
}

/** What was asked for the calls that wait now. The approvals of calls that have started were good for those. */
async function unspentApprovals({ store }: RunParts, { runId, journal }: Turn): Promise<readonly ApprovalRow[]> {
  const spent = new Set(stepsOf(journal).flatMap((step) => (step.kind === 'tool-start' ? (step.spent ?? []) : [])));
  const rows = await store.select('approvals', { where: { runId }, orderBy: [['seq', 'asc']] });
  return rows.filter(({ id }) => !spent.has(id));
}

/** Those that the model was told of, as far as the policy of this moment still has them. */
async function offeredTools(parts: RunParts, turn: Turn, { model, frame }: Conversation): Promise<readonly Tool[]> {
  const { agentId, sessionKey, inbound } = turn;
  const { provider } = model;
  const requester = requesterOf(inbound);
  const told = new Set(frame.tools.map(({ name }) => name));
  const tools = await parts.tools({ agentId, sessionKey, requester, provider, model: model.model });
  return tools.filter(({ name }) => told.has(name));
}

function passed({ tool, params, grant }: GatePass, id: string): StartedCall {
  return { id, name: tool.name, params, veto: null, grant: grant ?? null };
}

function vetoed({ id, name, params }: ToolCallPart, veto: GateVeto): StartedCall {
  return { id, name, params: isJsonObject(params) ? params : {}, veto: vetoOutput(veto), grant: null };
}

function answered(call: ToolCallPart, ask: GateAsk, approval: ApprovalRow): StartedCall {
  const { tool, params } = ask;
  const { decision, timeoutBehavior, id: approvalId } = approval;
  const isAllowed =
    decision === 'allow-once' || decision === 'allow-always' || (decision === 'timeout' && timeoutBehavior === 'allow');
  const argv = ask.grant?.kind === 'rule' ? ask.grant.argv : undefined;
  if (isAllowed) return passed({ kind: 'run', tool, params, grant: { kind: 'approval', approvalId, argv } }, call.id);
  return vetoed(call, vetoOf(approval, params));
}

/** A person's no holds, whether or not anybody would still ask. The words are the plugin contract's. */
function vetoOf({ decision, askedBy: by }: ApprovalRow, params: JsonObject): GateVeto {
  const reason = decision === 'timeout' ? 'Approval timed out' : 'Denied by user';
  return { kind: 'veto', reason, by, cause: 'approval', params };
}

/** A handler is told once it counts, and not waited for; what it makes of it is its own affair. */
function tellResolution(onResolution: GateAsk['onResolution'], decision: ApprovalResolution | null): void {
  if (decision) void (async () => onResolution?.(decision))().catch(() => undefined);
}

function suspensionOf(message: AssistantMessage, sought: readonly SoughtApproval[], isKept: boolean): Suspension {
  const fresh = sought.flatMap((each) => (each.kind === 'new' ? [each] : []));
  return {
    kind: 'suspension',
    message,
    approvals: fresh.map(({ row }) => row),
    voids: fresh.flatMap(({ voids }) => voids),
    isKept,
  };
}

function subjectOf(
  parts: RunParts,
  turn: Turn,
  { wire, call }: Conversation,
  toolCallId: string,
  index: number,
): ApprovalSubject {
  const { runId, sessionKey, agentId, workspaceDir, inbound } = turn;
  const { ttlMs, timeoutBehavior, policyVersionOf } = parts.approvals;
  return {
    runId,
    sessionKey,
    agentId,
    toolCallId,
    place: `${call}.${index}`,
    requester: requesterOf(inbound),
    policyVersion: policyVersionOf(agentId),
    workspaceDir,
    contextHash: createHash('sha256').update(wire.body).digest('hex'),
    now: parts.now(),
    ttlMs,
    timeoutBehavior,
  };
}

function callerOf(
  { agentId, sessionKey, session, runId, workspaceDir, inbound }: Turn,
  toolCallId: string,
): ToolCaller {
  return {
    agentId,
    sessionKey,
    sessionId: session.sessionId,
    runId,
    toolCallId,
    workspaceDir,
    requester: requesterOf(inbound),
    surface: inbound.surface,
  };
}

/** Runs what has no result yet. */
export async function settleToolCalls(
  parts: RunParts,
  turn: Turn,
  conversation: Conversation,
  pending: PendingCalls,
): Promise<readonly SaidMessage[]> {
  const tools = await offeredTools(parts, turn, conversation);
  const outputs = await sideBySide(
    pending.calls,
    async (call) => pending.results.get(call.id) ?? (await settleOne(parts, turn, call, tools, pending.isResumed)),
  );
  // A stopped run reports no results that nobody will read.
  turn.signal.throwIfAborted();
  const messages: SaidMessage[] = [];
  for (const [index, call] of pending.calls.entries()) {
    const output = outputs[index];
    if (output) messages.push(await persist(parts, turn, call, output));
  }
  return messages;
}

/** In the order of what was given. Once one has failed, no further one begins. */
async function sideBySide<T, R>(given: readonly T[], work: (each: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const waiting = given.entries();
  let hasFailed = false;
  const takeTurns = async () => {
    for (const [index, each] of waiting) {
      if (hasFailed) return;
      try {
        results[index] = await work(each);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(MOST_AT_ONCE, given.length) }, takeTurns));
  return results;
}

async function settleOne(
  parts: RunParts,
  turn: Turn,
  call: StartedCall,
  tools: readonly Tool[],
  isResumed: boolean,
): Promise<ToolOutput> {
  const { runId, sessionKey } = turn;
  const { id: toolCallId, name, params } = call;
  const startedAt = parts.now();
  parts.emit({ type: 'tool-start', runId, sessionKey, at: startedAt, toolCallId, name, params });
  parts.recorder.toolStarted(turn.recorded, { toolCallId, name, params });
  const output = await outputOf(parts, turn, call, tools, isResumed);
  // A result that came after the end belongs to nobody; the next attempt tells the model that the call was cut.
  turn.signal.throwIfAborted();
  const ms = parts.now() - startedAt;
  const isError = output.isError === true;
  await turn.ledger.commit('tool-result', [
    turn.ledger.step('tool-result', { toolCallId, content: output.content, isError, details: output.details ?? null }),
  ]);
  parts.emit({
    type: 'tool-end',
    runId,
    sessionKey,
    at: parts.now(),
    toolCallId,
    name,
    isError,
    ms,
    content: output.content,
  });
  parts.recorder.toolEnded(turn.recorded, { toolCallId, name, ms, isError, content: output.content });
  if (parts.hooks.has('after_tool_call')) {
    const event = { toolName: name, params, runId, toolCallId, durationMs: ms };
    parts.hooks.observe(
      'after_tool_call',
      isError
        ? { ...event, error: output.content }
        : { ...event, result: { content: output.content, details: output.details } },
      { ...turn.context, toolName: name, toolCallId },
    );
  }
  return output;
}

const INTERRUPTED =
  'This call was interrupted because the gateway stopped while it ran. It was not run again, and whether it took effect is unknown. Look before you repeat it.';

async function outputOf(
  parts: RunParts,
  turn: Turn,
  call: StartedCall,
  tools: readonly Tool[],
  isResumed: boolean,
): Promise<ToolOutput> {
  if (call.veto !== null) return call.veto;
  const tool = tools.find(({ name }) => name === call.name);
  if (isResumed && !tool?.idempotent)
    return { content: INTERRUPTED, isError: true, details: { status: 'interrupted' } };
  if (!tool) return { content: `There is no tool "${call.name}" any more.`, isError: true };
  return runTool(
    tool,
    call.params,
    { ...callerOf(turn, call.id), signal: turn.signal, grant: call.grant ?? undefined },
    { timeoutMs: tool.timeoutMs ?? parts.settings.toolTimeoutMs },
  );
}

/** The result as the transcript keeps it, which is also what the model reads. */
async function persist(parts: RunParts, turn: Turn, call: StartedCall, output: ToolOutput): Promise<SaidMessage> {
  const message: ToolMessage = {
    role: 'tool',
    toolCallId: call.id,
    toolName: call.name,
    content: output.content,
    ...(output.isError ? { isError: true } : {}),
    ...(output.details === undefined ? {} : { details: output.details }),
  };
  let kept = message;
  const rewriters: (string | undefined)[] = [];
  if (parts.hooks.has('tool_result_persist')) {
    const { result, calls } = await parts.hooks.run(
      'tool_result_persist',
      { toolName: call.name, toolCallId: call.id, message, isSynthetic: call.veto !== null },
      { ...turn.context, toolName: call.name, toolCallId: call.id },
    );
    if (result.message?.role === 'tool') {
      kept = { ...(result.message as ToolMessage), toolCallId: call.id, toolName: call.name };
      rewriters.push(rewritersOf(calls, 'tool_result_persist'));
    }
  }
  const written = await writeMessage(parts, turn, kept);
  const by = [...rewriters, written.rewrittenBy].filter((each) => each !== undefined).join(' and ');
  return { message: written.message, meta: rewriterOf(`tool ${call.name}`, by === '' ? undefined : by) };
}
