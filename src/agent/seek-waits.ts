// Finds out which tool calls of a step have to wait, for other sessions or for the client that runs its own tools. A call that waited before is not asked again: its
// row says whether the wait is over, and whether its run was stopped meanwhile.

import { formatClientCallId } from '../protocol/client-call-id.ts';
import { RunStoppedError } from '../protocol/errors.ts';
import { type AssistantMessage, textOf } from '../protocol/message.ts';
import type { NewRow } from '../store/store.ts';
import type { HandedCall, WaitRow } from '../store/tables.ts';
import type { Tool } from '../tools/tool.ts';
import type { Conversation } from './conversation.ts';
import type { StartedCall } from './journal.ts';
import { toolCallerOf } from './offered-tools.ts';
import type { OpenRun } from './open-run.ts';
import type { RunParts } from './run-parts.ts';

export interface WaitingCall {
  readonly call: StartedCall;
  readonly row: NewRow<'waits'>;
  /** True when an earlier attempt has stored the row. */
  readonly isKept: boolean;
}

/** A call that may wait, with its position among the calls of its step. */
export interface AwaitingCall {
  readonly index: number;
  readonly call: StartedCall;
  readonly tool: Tool | undefined;
}

export interface SoughtWaits {
  readonly waiting: readonly WaitingCall[];
  /** The calls whose wait is over, and those that never had to wait. */
  readonly ready: readonly (AwaitingCall & { readonly waited: WaitRow | undefined })[];
}

/** Rejects with RunStoppedError when the run was stopped while it waited. */
export async function seekWaits(
  { store, now }: RunParts,
  run: OpenRun,
  { call: request }: Conversation,
  calls: readonly AwaitingCall[],
  message: AssistantMessage,
): Promise<SoughtWaits> {
  const { runId, sessionKey } = run;
  const stored = await store.select('waits', { where: { runId } });
  const cancelled = stored.find(({ status }) => status === 'cancelled');
  if (cancelled) throw new RunStoppedError({ reason: cancelled.reason ?? 'a person stopped it while it waited' });
  const waiting: WaitingCall[] = [];
  const ready: SoughtWaits['ready'][number][] = [];
  for (const { index, call, tool } of calls) {
    const place = `${request}.${index}`;
    const waited = stored.find((row) => row.place === place);
    if (waited?.status === 'waiting') {
      waiting.push({ call, row: waited, isKept: true });
      continue;
    }
    const wait = waited ? undefined : await tool?.awaits?.(call.params, toolCallerOf(run, call.id));
    if (!wait) {
      ready.push({ index, call, tool, waited });
      continue;
    }
    const createdAt = now();
    const { awaited, isAnyEnough, timeoutMs } = wait;
    const handed = tool?.isRunByClient ? handedCall(run, place, call, message) : null;
    const about = { runId, place, sessionKey, toolCallId: call.id, awaited, isAnyEnough, handed, given: null };
    const row = { ...about, createdAt, expiresAt: createdAt + timeoutMs, status: 'waiting', reason: null } as const;
    waiting.push({ call, row, isKept: false });
  }
  return { waiting, ready };
}

function handedCall(
  { runId }: OpenRun,
  place: string,
  { name, params }: StartedCall,
  message: AssistantMessage,
): HandedCall {
  return { id: formatClientCallId(runId, place), name, params, said: textOf(message) };
}
