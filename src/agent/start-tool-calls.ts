// The tool calls of one model answer, up to their start: each call passes the gate, waits for a person where one must
// be asked, and is recorded as started before it starts.

import { inStep } from '../hooks/hook-trace.ts';
import type { ApprovalResolution } from '../protocol/approval-decision.ts';
import { RunStoppedError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/json.ts';
import { isJsonObject } from '../protocol/json.ts';
import { type AssistantMessage, type ToolCallPart, toolCallsOf } from '../protocol/message.ts';
import { requesterOf } from '../protocol/requester.ts';
import { sha256Of } from '../protocol/sha256-of.ts';
import type { Write } from '../store/store.ts';
import type { ApprovalRow } from '../store/tables.ts';
import { type GateAsk, type GatePass, type GateVeto, gateToolCall, vetoOutput } from '../tools/gate-tool-call.ts';
import type { Conversation, PendingCalls } from './conversation.ts';
import { holdToAnswers, vetoOf } from './hold-to-answers.ts';
import { idsOf } from './ids-of.ts';
import { type StartedCall, stepsOf } from './journal.ts';
import type { LoopWatch } from './loop-watch.ts';
import { rewriterOf } from './message-spans.ts';
import { offeredTools, toolCallerOf } from './offered-tools.ts';
import type { OpenRun } from './open-run.ts';
import type { RunParts } from './run-parts.ts';
import { type ApprovalSubject, type SoughtApproval, seekApproval } from './seek-approval.ts';
import { type ApprovalSuspension, tellVoid } from './suspend-run.ts';
import { thoughtsMeta } from './thoughts-meta.ts';
import { writeMessage } from './write-message.ts';

/** When one of the calls needs a person who has not answered yet, none of them starts. */
export async function startToolCalls(
  parts: RunParts,
  run: OpenRun,
  conversation: Conversation,
  { message, thoughts }: { readonly message: AssistantMessage; readonly thoughts?: string | undefined },
  loops: LoopWatch,
): Promise<PendingCalls | ApprovalSuspension> {
  const stored = conversation.asked ? await unspentApprovals(parts, run) : [];
  const gated = await gateCalls(parts, run, conversation, message, stored, loops);
  // This holds also when no handler would ask now: a run that was stopped while it waited does not go on.
  const cancelled = stored.find(({ decision }) => decision === 'cancelled');
  if (cancelled) {
    tellResolutions(gated);
    throw new RunStoppedError({ reason: cancelled.decidedBy ?? 'a person stopped it while it waited' });
  }
  const isWaiting = gated.sought.some(({ kind }) => kind !== 'answered');
  if (isWaiting) return suspensionOf(message, gated.sought, conversation.asked !== undefined);
  return begin(parts, run, conversation, { message, thoughts }, gated, stored);
}

interface GatedCalls {
  /** The calls that need no approval any more. */
  readonly calls: readonly StartedCall[];
  readonly sought: readonly SoughtApproval[];
  /** Functions that tell the handlers that asked about the answer, once it counts. */
  readonly resolutions: readonly (() => void)[];
}

async function gateCalls(
  parts: RunParts,
  run: OpenRun,
  conversation: Conversation,
  message: AssistantMessage,
  stored: readonly ApprovalRow[],
  loops: LoopWatch,
): Promise<GatedCalls> {
  const tools = await offeredTools(parts, run, conversation);
  const calls: StartedCall[] = [];
  const sought: SoughtApproval[] = [];
  const resolutions: (() => void)[] = [];
  for (const [index, call] of toolCallsOf(message).entries()) {
    const { id } = call;
    const loop = loops.judge(call);
    if (loop?.kind === 'warn')
      parts.warn(`The agent "${run.agentId}" ${loop.sentence} (run ${run.runId}).`, { ...idsOf(run), toolCallId: id });
    if (loop?.kind === 'refuse') {
      const { params } = call;
      calls.push(vetoed(call, { kind: 'veto', reason: loop.sentence, by: 'policy', cause: 'blocked', params }));
      continue;
    }
    const gate = await gateToolCall(call, {
      tools,
      trustedPolicies: parts.trustedPolicies,
      hooks: parts.hooks,
      context: inStep(run.context, `tool ${id}`),
      caller: toolCallerOf(run, id),
      signal: run.signal,
    });
    run.signal.throwIfAborted();
    if (gate.kind !== 'ask') {
      const asked = stored.filter(({ toolCallId, status }) => toolCallId === id && status !== 'void');
      const held = gate.kind === 'run' ? holdToAnswers(gate, asked, (asker) => isThere(parts, gate, asker)) : gate;
      if (held.kind === 'waiting') sought.push(held);
      else calls.push(held.kind === 'run' ? passed(held, id) : vetoed(call, held));
      continue;
    }
    const approval = seekApproval(gate, subjectOf(parts, run, conversation, id, index), stored);
    sought.push(approval);
    if (approval.kind !== 'answered') continue;
    calls.push(answered(call, gate, approval.approval));
    resolutions.push(() => tellResolution(gate.onResolution, approval.approval.decision));
  }
  return { calls, sought, resolutions };
}

/** After this commit each of the calls counts as started. */
async function begin(
  parts: RunParts,
  run: OpenRun,
  { call }: Conversation,
  { message, thoughts }: { readonly message: AssistantMessage; readonly thoughts: string | undefined },
  gated: GatedCalls,
  stored: readonly ApprovalRow[],
): Promise<PendingCalls> {
  const { calls } = gated;
  const { message: written, rewrittenBy } = await writeMessage(parts, run, message);
  const handed = calls.flatMap(({ name, veto }, index) => (veto === null && isClients(run, name) ? [index] : []));
  // By these the answer that the client got can be told again later.
  const meta = {
    ...rewriterOf('model', rewrittenBy),
    ...thoughtsMeta(thoughts, rewrittenBy),
    ...(handed.length > 0 && { handed: { call, places: handed } }),
  };
  // No handler asks these questions any more, so they need no answer. An answer that a person has given meanwhile is
  // read first.
  const voids = stored.filter(({ status }) => status === 'waiting').map(({ id }) => id);
  await run.ledger.commit('tool-start', [
    run.ledger.entry(written, { meta }),
    run.ledger.step('tool-start', {
      calls: calls as unknown as readonly JsonObject[],
      spent: stored.map(({ id }) => id),
    }),
    ...voids.map(
      (id): Write => ({ update: 'approvals', where: { id, status: 'waiting' }, set: { status: 'void' }, expect: 1 }),
    ),
  ]);
  tellVoid(parts, run, voids);
  tellResolutions(gated);
  return { kind: 'pending', message: written as AssistantMessage, meta, calls, results: new Map(), isResumed: false };
}

function isClients({ client }: OpenRun, name: string): boolean {
  return (client?.tools ?? []).some((tool) => tool.name === name);
}

function tellResolutions({ resolutions }: GatedCalls): void {
  for (const tell of resolutions) tell();
}

/** The approvals of the calls that wait now. Approvals of calls that have started already were used for those. */
async function unspentApprovals({ store }: RunParts, { runId, journal }: OpenRun): Promise<readonly ApprovalRow[]> {
  const spent = new Set(stepsOf(journal).flatMap((step) => (step.kind === 'tool-start' ? (step.spent ?? []) : [])));
  const rows = await store.select('approvals', { where: { runId }, orderBy: [['seq', 'asc']] });
  return rows.filter(({ id }) => !spent.has(id));
}

function passed({ tool, params, grant }: GatePass, id: string): StartedCall {
  return { id, name: tool.name, params, veto: null, grant: grant ?? null };
}

function vetoed({ id, name, params }: ToolCallPart, veto: GateVeto): StartedCall {
  return { id, name, params: isJsonObject(params) ? params : {}, veto: vetoOutput(veto), grant: null };
}

function answered(call: ToolCallPart, ask: GateAsk, { decision, timeoutBehavior, id }: ApprovalRow): StartedCall {
  const settled = settleAsk(ask, decision, timeoutBehavior, id);
  return settled.kind === 'run' ? passed(settled, call.id) : vetoed(call, settled);
}

/** What a person's answer, or a missing answer, means for a question. */
export function settleAsk(
  { tool, params, written, askedBy, grant }: GateAsk,
  decision: ApprovalResolution | null,
  timeoutBehavior: ApprovalRow['timeoutBehavior'],
  approvalId = '',
): GatePass | GateVeto {
  const isAllowed =
    decision === 'allow-once' || decision === 'allow-always' || (decision === 'timeout' && timeoutBehavior === 'allow');
  const argv = grant?.kind === 'rule' ? grant.argv : undefined;
  if (isAllowed) return { kind: 'run', tool, params, grant: { kind: 'approval', approvalId, argv } };
  return vetoOf({ decision, askedBy }, written);
}

/** Whether the plugin, tool or policy that asked exists now and could ask again. */
function isThere({ hooks, trustedPolicies }: RunParts, { tool }: GatePass, asker: string): boolean {
  const askers = [...hooks.list('before_tool_call').map(({ owner }) => owner), 'before_tool_call', tool.name];
  return askers.includes(asker) || (trustedPolicies?.() ?? []).some(({ pluginId }) => pluginId === asker);
}

/** A handler is told once the answer counts. The run does not wait for it and ignores its errors. */
function tellResolution(onResolution: GateAsk['onResolution'], decision: ApprovalResolution | null): void {
  if (decision) void (async () => onResolution?.(decision))().catch(() => undefined);
}

function suspensionOf(
  message: AssistantMessage,
  sought: readonly SoughtApproval[],
  isKept: boolean,
): ApprovalSuspension {
  const fresh = sought.flatMap((each) => (each.kind === 'new' ? [each] : []));
  return {
    kind: 'suspension',
    cause: 'approvals',
    message,
    approvals: fresh.map(({ row }) => row),
    voids: fresh.flatMap(({ voids }) => voids),
    isKept,
  };
}

function subjectOf(
  parts: RunParts,
  run: OpenRun,
  { wire, call }: Conversation,
  toolCallId: string,
  index: number,
): ApprovalSubject {
  const { runId, sessionKey, agentId, workspaceDir, inbound } = run;
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
    contextHash: sha256Of(wire.body),
    now: parts.now(),
    ttlMs,
    timeoutBehavior,
  };
}
