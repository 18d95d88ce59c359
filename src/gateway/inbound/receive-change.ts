// Receives what happened to a message: an edit, a deletion or a reaction. The edit of a message that still waits for its
// run changes that message, so the agent reads what the person means now. Everything else starts nothing and takes
// nothing back: it becomes a notice in the transcript, for people. The words of a late edit are not kept, because no
// gate has seen them.
// Errors: rejects when the change cannot be stored; then the platform may send it again. A repetition has no effect.

import type { ChangeResult } from '../../channels/channel.ts';
import { hookContextOf } from '../../hooks/hook-context-of.ts';
import { rootTrace } from '../../hooks/hook-trace.ts';
import { type Inbound, surfaceId } from '../../protocol/inbound.ts';
import { dedupeKeyOfChange, type InboundChange } from '../../protocol/inbound-change.ts';
import { newId } from '../../protocol/new-id.ts';
import { clip, oneLine } from '../../protocol/one-line.ts';
import { PreconditionFailedError } from '../../store/errors.ts';
import type { Write } from '../../store/store.ts';
import type { InboxRow } from '../../store/tables.ts';
import { InboundTooLongError } from '../errors.ts';
import { claimInbound, findEarlier, type InboxParts, MAX_TEXT_LENGTH } from './inbox.ts';
import { routeInbound } from './route-inbound.ts';

export async function receiveChange(parts: InboxParts, change: InboundChange): Promise<ChangeResult> {
  if (await findEarlier(parts.store, dedupeKeyOfChange(change))) return { outcome: 'duplicate' };
  const { surface, sender, space, messageId, at } = change;
  const about: Inbound = { surface, sender, ...(space && { space }), messageId, at, text: '' };
  const { sessionKey, agentId } = await routeInbound(parts, about);
  const waiting = await parts.store.select('inbox', { where: { sessionKey, status: 'queued' } });
  const [session] = await parts.store.select('sessions', { where: { sessionKey, endedAt: null }, limit: 1 });
  if (!session && waiting.length === 0) return { outcome: 'ignored' };

  const edited = change.kind === 'edit' ? await planEdit(parts, change, waiting) : undefined;
  const note = (isApplied: boolean): Write => {
    const now = parts.now();
    return {
      insert: 'inbox',
      row: {
        runId: newId('note', now),
        sessionKey,
        kind: 'note',
        dedupeKey: dedupeKeyOfChange(change),
        fingerprint: null,
        payload: { inbound: about, agentId, note: { kind: 'notice', text: describeChange(change, isApplied) } },
        acceptedAt: now,
        status: 'queued',
      },
    };
  };
  const commit = async (edit: Write | undefined) => {
    await parts.store.commit([...(edit ? [edit] : []), note(edit !== undefined)], { site: 'accept', waits: true });
    parts.lanes.wake(sessionKey);
  };
  try {
    await commit(edited);
    return { outcome: edited ? 'changed' : 'noted' };
  } catch (error) {
    if (!(error instanceof PreconditionFailedError)) throw error;
    // The same event came twice at once, or the run of the message has begun meanwhile.
    if (await findEarlier(parts.store, dedupeKeyOfChange(change))) return { outcome: 'duplicate' };
    if (!edited) throw error;
    await commit(undefined);
    return { outcome: 'noted' };
  }
}

/**
 * The write that gives the waiting message its new text; undefined when no message of this sender waits. A plugin that
 * claims the new text keeps it from the agent, as it would keep a new message, and the message waits as it was.
 */
async function planEdit(
  parts: InboxParts,
  { text, messageId, surface, sender, at }: InboundChange & { readonly kind: 'edit' },
  waiting: readonly InboxRow[],
): Promise<Write | undefined> {
  const { length } = text;
  if (length > MAX_TEXT_LENGTH) throw new InboundTooLongError({ chars: length, limit: MAX_TEXT_LENGTH });
  const place = surfaceId(surface);
  const row = waiting.find(({ kind, payload }) => {
    const inbound = kind === 'message' ? payload?.inbound : undefined;
    if (!inbound || inbound.fromAgent || inbound.messageId !== messageId) return false;
    return inbound.sender.id === sender.id && surfaceId(inbound.surface) === place;
  });
  if (!row?.payload) return undefined;
  const { seq, runId, sessionKey, payload } = row;
  const inbound: Inbound = { ...payload.inbound, text, at };
  const known = { agentId: payload.agentId, sessionKey, runId, messageId, trace: rootTrace(runId, 'edit') };
  const context = hookContextOf('message', { ...known, surface, sender });
  if (await claimInbound(parts, inbound, context)) return undefined;
  void parts.tell('message-received', { inbound, context });
  return { update: 'inbox', where: { seq, status: 'queued' }, set: { payload: { ...payload, inbound } }, expect: 1 };
}

function describeChange(change: InboundChange, isApplied: boolean): string {
  const who = oneLine(change.sender.name ?? change.sender.id, LONGEST_NAME);
  const which = `the message ${clip(oneLine(change.messageId), LONGEST_NAME)}`;
  switch (change.kind) {
    case 'edit':
      return isApplied
        ? `${who} edited ${which} before it was read; the agent reads the new text.`
        : `${who} edited ${which} after it was read; the agent does not know the new text.`;
    case 'delete':
      return `${who} deleted ${which} on the platform. What was said about it stays.`;
    case 'reaction': {
      const emoji = oneLine(change.emoji, LONGEST_EMOJI);
      return change.isRemoved
        ? `${who} took back ${emoji} from ${which}.`
        : `${who} reacted to ${which} with ${emoji}.`;
    }
  }
}

const LONGEST_NAME = 100;
const LONGEST_EMOJI = 64;
