// Ends a run that was claimed again and again without getting anywhere, most likely because it kills the process. The
// surface is told, and the message is kept for a person.

import { releaseInjections } from '../agent/release-injections.ts';
import { runHookContext } from '../agent/run-hook-context.ts';
import type { Answer, PlannedAnswer } from '../agent/run-parts.ts';
import { tellAgentEnd } from '../agent/tell-agent-end.ts';
import { withdrawEntries } from '../agent/withdraw-entries.ts';
import type { Tell } from '../facts/facts.ts';
import { newId } from '../protocol/new-id.ts';
import type { ClaimedTrigger } from '../store/claimed-trigger.ts';
import type { Store, Write } from '../store/store.ts';
import type { TriggerKind } from '../store/tables.ts';
import { RunGivenUpError } from './errors.ts';

export interface GiveUpParts {
  readonly store: Store;
  readonly planDelivery: (answer: Answer) => Promise<PlannedAnswer>;
  readonly wakeOutbox: () => void;
  readonly workspaceDirOf: (agentId: string) => string;
  readonly tell: Tell;
  readonly now: () => number;
}

export async function giveUp(parts: GiveUpParts, { trigger, claim, attempt }: ClaimedTrigger): Promise<void> {
  const { runId, sessionKey, payload } = trigger;
  const now = parts.now();
  const kind = payload?.resumes ?? trigger.kind;
  // Nobody waits for a heartbeat, and the next one comes by itself.
  const isHeartbeat = kind === 'heartbeat';
  const [run] = await parts.store.select('runs', { where: { runId }, limit: 1 });
  const error = new RunGivenUpError({ claims: attempt - 1 - (run?.progressClaim ?? 0) });
  const sessionId = run?.sessionId ?? '';
  const session = { sessionKey, sessionId };
  const injections = await releaseInjections(parts.store, { runId, sessionId, keepsEntries: !isHeartbeat });
  const agentId = payload?.agentId ?? run?.agentId ?? '';
  const context = runHookContext({
    runId,
    ...session,
    agentId,
    workspaceDir: parts.workspaceDirOf(agentId),
    isRecovered: attempt > 1,
    kind,
    payload,
  });
  const { rows } =
    payload && !isHeartbeat
      ? await parts.planDelivery({
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
      ...rows.map((row): Write => ({ insert: 'outbox', row })),
    ],
    { site: 'dead-letter', claim },
  );
  parts.wakeOutbox();
  const told = { runId, sessionKey, error: error.message, errorCode: error.code };
  void parts.tell('run-ended', { ...told, status: 'failed' });
  const durationMs = now - (run?.startedAt ?? now);
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
