// Finds a person's answer to a call that needs their approval. An answer holds for exactly what was asked: this one
// call, the tool, its final parameters, the plugin or tool that asked, the workspace, and the policy at that time. When
// one of them has changed since, the answer is void and the person is asked again.

import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { isJsonObject } from '../protocol/json.ts';
import { newApprovalId } from '../protocol/new-id.ts';
import type { Requester } from '../protocol/requester.ts';
import type { NewRow } from '../store/store.ts';
import type { ApprovalRow } from '../store/tables.ts';
import { shownLine, shownText } from '../tools/approvals/shown-text.ts';
import type { GateAsk } from '../tools/gate-tool-call.ts';

export type SoughtApproval =
  | { readonly kind: 'answered'; readonly approval: ApprovalRow }
  | { readonly kind: 'waiting'; readonly approval: ApprovalRow }
  /** No person was asked for this before; `voids` are the approvals of the call as it was before it changed. */
  | { readonly kind: 'new'; readonly row: NewRow<'approvals'>; readonly voids: readonly string[] };

export interface ApprovalSubject {
  readonly runId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  readonly toolCallId: string;
  /**
   * The position of the call in the run. The model's own id is not used, because ids may repeat and an answer holds
   * once.
   */
  readonly place: string;
  readonly requester: Requester;
  readonly policyVersion: string;
  /** The folder to which paths in the parameters are relative. */
  readonly workspaceDir: string;
  /** The hash of what the model had read. */
  readonly contextHash: string;
  readonly now: number;
  readonly ttlMs: number;
  readonly timeoutBehavior: 'allow' | 'deny';
}

export function seekApproval(ask: GateAsk, about: ApprovalSubject, stored: readonly ApprovalRow[]): SoughtApproval {
  const digest = digestOf(ask, about);
  const own = stored.filter(({ toolCallId, status }) => toolCallId === about.toolCallId && status !== 'void');
  const approval = own.find((row) => row.digest === digest);
  if (approval) return { kind: approval.status === 'answered' ? 'answered' : 'waiting', approval };
  return { kind: 'new', row: newRow(ask, about, digest), voids: own.map(({ id }) => id) };
}

/** The digest is the same for the same call in any order of its parameters. */
export function digestOf(
  { tool, params, askedBy, grant }: Pick<GateAsk, 'tool' | 'params' | 'askedBy' | 'grant'>,
  { place, requester, policyVersion, workspaceDir, agentId, sessionKey }: ApprovalSubject,
): string {
  const { channel, accountId, senderId } = requester;
  // Whether the tool itself asked too.
  const consent = grant?.kind ?? null;
  const what = [place, tool.name, params, askedBy, consent];
  const asked = [...what, agentId, sessionKey, channel, accountId, senderId, policyVersion, workspaceDir];
  return createHash('sha256')
    .update(JSON.stringify(inOrder(asked)))
    .digest('hex');
}

function inOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, inOrder(each)]),
  );
}

/** A plugin may shorten or lengthen the waiting time, up to a day. */
const LONGEST_TTL_MS = 86_400_000;

function newRow(ask: GateAsk, about: ApprovalSubject, digest: string): NewRow<'approvals'> {
  const { runId, sessionKey, agentId, toolCallId, requester, policyVersion, contextHash, now } = about;
  const wished = ask.timeoutMs;
  const isWish = wished !== undefined && Number.isFinite(wished) && wished > 0;
  return {
    id: newApprovalId(),
    runId,
    sessionKey,
    agentId,
    toolCallId,
    toolName: ask.tool.name,
    params: ask.params,
    digest,
    requester: { ...requester },
    policyVersion,
    contextHash,
    askedBy: ask.askedBy,
    title: shownLine(ask.title),
    description: shownText(ask.description),
    severity: ask.severity,
    allowedDecisions: ask.allowedDecisions,
    rule: ask.rule === null ? null : ({ ...ask.rule } as unknown as JsonObject),
    createdAt: now,
    expiresAt: now + (isWish ? Math.min(wished, LONGEST_TTL_MS) : about.ttlMs),
    timeoutBehavior: ask.timeoutBehavior === 'allow' ? 'allow' : (ask.timeoutBehavior ?? about.timeoutBehavior),
    status: 'waiting',
    decision: null,
    decidedAt: null,
    decidedBy: null,
  };
}
