// Writes a note into the transcript of a session: what happened to a message of a person, or what an agent posted there
// from another conversation. A note is a trigger of the session's lane, so that it never writes beside a run; it calls
// no model, sends nothing and is told to no observer of runs.
// Errors: rejects when the store refuses a commit; then the lane takes the trigger up again, and the entry is written
// once, together with the end of the trigger.

import { inStep } from '../hooks/hook-trace.ts';
import type { AssistantMessage, UserMessage } from '../protocol/message.ts';
import { openForNote } from '../sessions/open-session.ts';
import type { ClaimedTrigger } from '../store/claimed-trigger.ts';
import type { Write } from '../store/store.ts';
import type { SessionRow, TranscriptNote, TriggerPayload } from '../store/tables.ts';
import { rewriterOf } from './message-spans.ts';
import { runHookContext } from './run-hook-context.ts';
import { RunLedger } from './run-ledger.ts';
import type { RunParts } from './run-parts.ts';
import { sessionTelling } from './tell-session.ts';
import { writeMessage } from './write-message.ts';

export async function keepNote(parts: RunParts, { trigger, claim, attempt }: ClaimedTrigger): Promise<void> {
  const { runId, sessionKey, payload } = trigger;
  const now = parts.now();
  const end: readonly Write[] = [
    { update: 'runs', where: { runId }, set: { status: 'done', endedAt: now, outcome: {}, observed: true } },
    { update: 'inbox', where: { runId }, set: { status: 'done' } },
  ];
  const opened =
    payload?.note && (await openForNote(parts.store, noteRequestOf(payload, payload.note, sessionKey, now)));
  if (!payload?.note || !opened) {
    // Its session has ended since, or its words had to be removed.
    await parts.store.commit(end, { site: 'result', claim });
    return;
  }
  const { session, writes, isNew, lastEntry } = opened;
  const { sessionId } = session;
  const ledger = new RunLedger({
    store: parts.store,
    claim,
    sessionId,
    now: parts.now,
    opening: writes,
    lastEntry,
    lastStep: 0,
  });
  const entries = await entriesOf(parts, ledger, payload.note, { session, runId, payload, isRecovered: attempt > 1 });
  await ledger.commit('result', [...entries, ...end]);
  if (isNew) tellStart(parts, session, payload, runId);
}

function noteRequestOf(
  { inbound, agentId }: TriggerPayload,
  { kind }: TranscriptNote,
  sessionKey: string,
  now: number,
) {
  // Only what an agent posted begins a session: an edit or a reaction is about one that is there.
  return { agentId, sessionKey, surface: inbound.surface, now, mayOpen: kind === 'posted' };
}

interface NoteSubject {
  readonly session: SessionRow;
  readonly runId: string;
  readonly payload: TriggerPayload;
  readonly isRecovered: boolean;
}

async function entriesOf(
  parts: RunParts,
  ledger: RunLedger,
  { kind, text }: TranscriptNote,
  subject: NoteSubject,
): Promise<readonly Write[]> {
  const said: AssistantMessage = { role: 'assistant', content: [{ type: 'text', text }] };
  if (kind === 'notice') return [ledger.notice(said, text, { note: true })];
  const { session, payload, runId, isRecovered } = subject;
  const { sessionKey, sessionId, agentId } = session;
  const context = runHookContext({
    runId,
    sessionKey,
    sessionId,
    agentId,
    workspaceDir: parts.context.workspaceDirOf(agentId),
    isRecovered,
    kind: 'note',
    payload,
  });
  const run = { agentId, sessionKey, startedAt: parts.now(), context: inStep(context, 'note') };
  const { message, blocked, rewrittenBy } = await writeMessage(parts, run, said);
  if (blocked || message.content.length === 0) return [];
  // Every provider wants a conversation to begin with words to the model, so the post has a frame in front of it.
  const frame: UserMessage = { role: 'user', content: POSTED };
  return [
    ledger.entry(frame, { shown: POSTED, meta: { note: true, author: FRAME_AUTHOR } }),
    ledger.entry(message, { meta: { note: true, author: POST_AUTHOR, ...rewriterOf(POST_AUTHOR, rewrittenBy) } }),
  ];
}

/** The session from which it was posted is not named: people here may not know of it. */
const POSTED =
  '[No person wrote this line. You posted the following message here from another conversation, with the message tool.]';
const FRAME_AUTHOR = 'atrium: frame of a post';
const POST_AUTHOR = 'model, posted with the message tool';

function tellStart(parts: RunParts, session: SessionRow, payload: TriggerPayload, runId: string): void {
  const { sessionKey, sessionId, agentId, resumedFrom } = session;
  const workspaceDir = parts.context.workspaceDirOf(agentId);
  const context = runHookContext({
    runId,
    sessionKey,
    sessionId,
    agentId,
    workspaceDir,
    isRecovered: false,
    kind: 'note',
    payload,
  });
  const source = payload.inbound.surface.channel;
  const telling = sessionTelling(parts.tell, { contextOf: () => context, command: { source } });
  void telling.started({ session, resumedFrom });
}
