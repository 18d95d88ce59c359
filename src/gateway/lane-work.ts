// The work of a lane for a trigger that it has claimed. The trigger becomes a run; when it was claimed several times
// without progress, most likely because it crashes the process, it is ended instead. Then the surface is told, and the
// message is kept for a person.

import { releaseInjections } from '../agent/release-injections.ts';
import { run } from '../agent/run.ts';
import { runHookContext } from '../agent/run-hook-context.ts';
import type { RunParts } from '../agent/run-parts.ts';
import { tellAgentEnd } from '../agent/tell-agent-end.ts';
import { withdrawEntries } from '../agent/withdraw-entries.ts';
import type { LaneWork } from '../lanes/lanes.ts';
import { newId } from '../protocol/new-id.ts';
import type { ClaimedTrigger } from '../store/claimed-trigger.ts';
import type { Write } from '../store/store.ts';
import type { TriggerKind } from '../store/tables.ts';
import { RunGivenUpError } from './errors.ts';

export class RunWork implements LaneWork {
  readonly #parts: RunParts;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  run(claimed: ClaimedTrigger): Promise<void> {
    return run(this.#parts, claimed);
  }

  giveUp(claimed: ClaimedTrigger): Promise<void> {
    return giveUp(this.#parts, claimed);
  }
}

async function giveUp(parts: RunParts, { trigger, claim, attempt }: ClaimedTrigger): Promise<void> {
  const { runId, sessionKey, payload } = trigger;
  const now = parts.now();
  const kind = payload?.resumes ?? trigger.kind;
  // No person waits for a heartbeat, and the next one starts by itself.
  const isHeartbeat = kind === 'heartbeat';
  const [row] = await parts.store.select('runs', { where: { runId }, limit: 1 });
  const error = new RunGivenUpError({ claims: attempt - 1 - (row?.progressClaim ?? 0) });
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
  const { rows } =
    payload && !isHeartbeat
      ? await parts.delivery.plan({
          runId,
          sessionKey,
          surface: payload.inbound.surface,
          text: `This message could not be answered. ${error.message}`,
          replyToId: payload.inbound.messageId,
          context,
        })
      : { rows: [] };
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
      { remove: 'journal', where: { runId } },
      isHeartbeat ? withdrawEntries({ session, runId }, 1) : deadLetter(trigger, kind, error.message, now),
      ...rows.map((part): Write => ({ insert: 'outbox', row: part })),
    ],
    { site: 'dead-letter', claim },
  );
  parts.delivery.wake();
  const told = { runId, sessionKey, error: error.message, errorCode: error.code };
  void parts.tell('run-ended', { ...told, status: 'failed' });
  const durationMs = now - (row?.startedAt ?? now);
  const ended = { runId, sessionId, status: 'failed' as const, error: error.message, durationMs, recovered: true };
  void tellAgentEnd(parts, ended, context);
}

function deadLetter(
  { runId, sessionKey, payload }: ClaimedTrigger['trigger'],
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
