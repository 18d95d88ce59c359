// The work of a lane for a trigger that it has claimed. The trigger becomes a run; when it was claimed several times
// without progress, most likely because it crashes the process, it is ended instead. Then the surface is told, and the
// message is kept for a person.

import { describeUnanswered } from '../agent/describe-unanswered.ts';
import { keepNote } from '../agent/keep-note.ts';
import { releaseInjections } from '../agent/release-injections.ts';
import { run } from '../agent/run.ts';
import { runHookContext } from '../agent/run-hook-context.ts';
import type { RunParts } from '../agent/run-parts.ts';
import { planCutCall } from '../agent/spend/run-spending.ts';
import { NO_CHILD_END, planChildEndOfRun } from '../agent/subagents/end-child.ts';
import { findChild } from '../agent/subagents/find-child.ts';
import { speaksItself } from '../agent/subagents/speaks-itself.ts';
import { RESULTS_TOGETHER, readToldResults } from '../agent/subagents/told-results.ts';
import { tellAgentEnd } from '../agent/tell-agent-end.ts';
import { withdrawEntries } from '../agent/withdraw-entries.ts';
import type { LaneWork } from '../lanes/lanes.ts';
import { RunStoppedError } from '../protocol/errors.ts';
import { newId } from '../protocol/new-id.ts';
import type { ClaimedTrigger } from '../store/claimed-trigger.ts';
import type { Write } from '../store/store.ts';
import type { TriggerKind } from '../store/tables.ts';
import { RunGivenUpError } from './errors.ts';

export class RunWork implements LaneWork {
  readonly #parts: RunParts;
  readonly joining = RESULTS_TOGETHER;
  readonly cancel: NonNullable<LaneWork['cancel']>;

  constructor(parts: RunParts, cancel: NonNullable<LaneWork['cancel']>) {
    this.#parts = parts;
    this.cancel = cancel;
  }

  async run(claimed: ClaimedTrigger): Promise<void> {
    if (claimed.trigger.kind === 'note') return keepNote(this.#parts, claimed);
    const isOver = await isTaskOver(this.#parts, claimed);
    return run(this.#parts, isOver ? { ...claimed, signal: AbortSignal.abort(TASK_OVER) } : claimed);
  }

  giveUp(claimed: ClaimedTrigger): Promise<void> {
    return giveUp(this.#parts, claimed);
  }
}

/**
 * The task of a child was stopped or took too long, and the process died before its run was stopped. The child is over
 * and its parent was told, so the run must not go on when it is taken up again.
 */
async function isTaskOver({ store }: RunParts, { trigger }: ClaimedTrigger): Promise<boolean> {
  if ((trigger.payload?.resumes ?? trigger.kind) !== 'spawn') return false;
  const child = await findChild(store, trigger.sessionKey);
  return child !== undefined && child.runId === trigger.runId && child.endedAt !== null;
}

const TASK_OVER = new RunStoppedError({ reason: 'its task was stopped' });

async function giveUp(parts: RunParts, { trigger, claim, attempt }: ClaimedTrigger): Promise<void> {
  const { runId, sessionKey, payload } = trigger;
  const now = parts.now();
  const kind = payload?.resumes ?? trigger.kind;
  // No person waits for a heartbeat, and the next one starts by itself. A note answers nothing.
  const isHeartbeat = kind === 'heartbeat';
  const isAnswer = !isHeartbeat && kind !== 'note';
  const [row] = await parts.store.select('runs', { where: { runId }, limit: 1 });
  const error = new RunGivenUpError({ claims: attempt - 1 - (row?.progressClaim ?? 0) });
  const results = await readToldResults(parts.store, { runId, kind });
  const sessionId = row?.sessionId ?? '';
  const session = { sessionKey, sessionId };
  const injections = await releaseInjections(parts.store, { runId, sessionId, keepsEntries: !isHeartbeat });
  const agentId = payload?.agentId ?? row?.agentId ?? '';
  const context = runHookContext({
    runId,
    ...session,
    agentId,
    workspaceDir: parts.context.workspaceDirOf(agentId),
    isRecovered: attempt > 1,
    kind,
    payload,
  });
  const cutCall = await planCutCall(parts.store, runId);
  const child = await findChild(parts.store, sessionKey);
  const { rows } =
    payload && isAnswer && speaksItself({ sessionKey, kind, child, inbound: payload.inbound })
      ? await parts.delivery.plan({
          runId,
          sessionKey,
          surface: payload.inbound.surface,
          text: `${describeUnanswered({ kind, results })} ${error.message}`,
          replyToId: payload.inbound.messageId,
          context,
        })
      : { rows: [] };
  const ended = { runId, sessionKey, sessionId, results, status: 'failed' as const };
  const childEnd =
    kind === 'note'
      ? NO_CHILD_END
      : await planChildEndOfRun(parts, { ...ended, error: error.message, errorCode: error.code });
  await parts.store.commit(
    [
      {
        update: 'runs',
        where: { runId },
        set: { status: 'failed', endedAt: now, outcome: { error: error.message, errorCode: error.code } },
      },
      { update: 'inbox', where: { runId }, set: { status: 'dead' } },
      ...injections,
      { update: 'approvals', where: { runId, status: 'waiting' }, set: { status: 'void' } },
      { remove: 'waits', where: { runId } },
      { remove: 'journal', where: { runId } },
      ...cutCall,
      ...(isHeartbeat
        ? [withdrawEntries({ session, runId }, 1)]
        : (results.length > 0 ? results : [payload]).map((each) =>
            deadLetter({ runId, sessionKey, payload: each }, kind, error.message, now),
          )),
      ...rows.map((part): Write => ({ insert: 'outbox', row: part })),
      ...childEnd.writes,
    ],
    { site: 'dead-letter', claim },
  );
  childEnd.tell();
  parts.delivery.wake();
  // A run that was cut before its request has no session yet; its records are with the session that is open.
  const [open] =
    sessionId === '' ? await parts.store.select('sessions', { where: { sessionKey, endedAt: null }, limit: 1 }) : [];
  const recordedIn = sessionId || open?.sessionId;
  const told = { runId, sessionKey, sessionId: recordedIn, error: error.message, errorCode: error.code };
  void parts.tell('run-ended', { ...told, status: 'failed' });
  const durationMs = now - (row?.startedAt ?? now);
  const end = { runId, sessionId, status: 'failed' as const, error: error.message, durationMs, recovered: true };
  void tellAgentEnd(parts, end, context);
}

function deadLetter(
  { runId, sessionKey, payload }: Pick<ClaimedTrigger['trigger'], 'runId' | 'sessionKey' | 'payload'>,
  kind: TriggerKind,
  reason: string,
  createdAt: number,
): Write {
  const kept = payload && JSON.parse(JSON.stringify({ ...payload, resumes: kind }));
  return {
    insert: 'deadLetters',
    row: { id: newId('dead', createdAt), direction: 'in', runId, sessionKey, reason, createdAt, payload: kept },
  };
}
