// Dead letters: messages that were given up on their way in or out, and that a person sends again or deletes.
//
// Errors: `findDeadLetter` and `replay` reject with UnknownDeadLetterError; `replay` also with DeadLetterUnusableError,
// and with PreconditionFailedError when another person has answered the letter in the meantime.

import type { AttachmentRef } from '../protocol/attachment.ts';
import { type Peer, type Surface, surfaceId } from '../protocol/inbound.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../protocol/json.ts';
import { newId } from '../protocol/new-id.ts';
import { attachmentsOf, nameAttachments } from '../store/name-attachments.ts';
import type { Store, Write } from '../store/store.ts';
import type { DeadLetterRow, TriggerPayload } from '../store/tables.ts';
import { DeadLetterUnusableError, UnknownDeadLetterError } from './errors.ts';

export interface DeadLettersParts {
  readonly store: Store;
  readonly wakeLane: (sessionKey: string) => void;
  readonly wakeOutbox: () => void;
  /** How long the delivery of a letter that is sent again may take. */
  readonly ttlMs: number;
  readonly now: () => number;
}

export class DeadLetters {
  readonly #parts: DeadLettersParts;

  constructor(parts: DeadLettersParts) {
    this.#parts = parts;
  }

  /** Sends a dead letter again and returns the run that it became or belongs to. */
  async replay(id: string): Promise<{ readonly runId: string }> {
    const letter = await findDeadLetter(this.#parts.store, id);
    return letter.direction === 'in' ? this.#replayInbound(letter) : this.#replayOutbound(letter);
  }

  /** Removes these dead letters, or all of them, and returns how many there were. */
  async purge(ids: readonly string[] | 'all'): Promise<number> {
    const where = ids === 'all' ? {} : { id: { in: ids } };
    const { changed } = await this.#parts.store.commit([{ remove: 'deadLetters', where }], {
      site: 'dead-letter-answer',
      waits: true,
    });
    return changed[0] ?? 0;
  }

  async #replayInbound({ id, runId: replayOf, sessionKey, payload }: DeadLetterRow): Promise<{ runId: string }> {
    const { store, wakeLane, now } = this.#parts;
    const acceptedAt = now();
    const runId = newId('run', acceptedAt);
    const { resumes = 'message', ...trigger } = payload as unknown as TriggerPayload;
    await store.commit(
      [
        { remove: 'deadLetters', where: { id }, expect: 1 },
        {
          insert: 'inbox',
          row: {
            runId,
            sessionKey,
            // No client waits on a connection any more for this answer.
            kind: resumes === 'api' ? 'message' : resumes,
            dedupeKey: null,
            fingerprint: null,
            payload: { ...trigger, replayOf },
            acceptedAt,
            status: 'queued',
          },
        },
        ...nameAttachments(broughtBy(trigger), { runId, sessionKey, at: acceptedAt }),
      ],
      { site: 'dead-letter-answer', waits: true },
    );
    wakeLane(sessionKey);
    return { runId };
  }

  async #replayOutbound(letter: DeadLetterRow): Promise<{ runId: string }> {
    const { store, wakeOutbox, ttlMs, now } = this.#parts;
    const { runId } = letter;
    const sent = await store.select('outbox', { where: { runId } });
    const partsOfRun = sent.map(({ part }) => part);
    await store.commit(replayDeadLetter(letter, { partsOfRun, now: now(), ttlMs }), {
      site: 'dead-letter-answer',
      waits: true,
    });
    wakeOutbox();
    return { runId };
  }
}

/** The new run names its files itself, because the rows of the old one may be removed before it ends. */
function broughtBy({ inbound, seed = [] }: TriggerPayload): readonly AttachmentRef[] {
  return [...(inbound.attachments ?? []), ...attachmentsOf(seed)];
}

/** Reads only the store, so it works while no gateway runs. */
export async function findDeadLetter(store: Store, id: string): Promise<DeadLetterRow> {
  const [letter] = await store.select('deadLetters', { where: { id }, limit: 1 });
  if (!letter) throw new UnknownDeadLetterError({ id: id.slice(0, 512) });
  return letter;
}

export interface ReplaySettings {
  /** The numbers of all parts that the letter's run has in the outbox. */
  readonly partsOfRun: readonly number[];
  readonly now: number;
  readonly ttlMs: number;
}

/**
 * Puts an outbound letter back into the outbox. It becomes a new row with a part number that its run has not used, so
 * that the record of the first row stays and no channel confuses the two. Throws for a letter that is not outbound.
 */
export function replayDeadLetter(letter: DeadLetterRow, { partsOfRun, now, ttlMs }: ReplaySettings): readonly Write[] {
  const payload = letter.direction === 'out' ? parsePayload(letter.payload) : undefined;
  if (!payload) throw new DeadLetterUnusableError({ id: letter.id });
  const { surface, text, options } = payload;
  return [
    { remove: 'deadLetters', where: { id: letter.id }, expect: 1 },
    {
      insert: 'outbox',
      row: {
        runId: letter.runId,
        part: Math.max(0, ...partsOfRun) + 1,
        sessionKey: letter.sessionKey,
        surface,
        surfaceId: surfaceId(surface),
        text,
        options: { ...options, replayOf: letter.id },
        status: 'queued',
        attempts: 0,
        nextAt: now,
        createdAt: now,
        expiresAt: now + ttlMs,
        receipt: null,
        error: null,
      },
    },
  ];
}

interface OutboundPayload {
  readonly surface: Surface;
  readonly text: string;
  readonly options: JsonObject;
}

function parsePayload(payload: JsonValue): OutboundPayload | undefined {
  if (!isJsonObject(payload)) return undefined;
  const { text, options } = payload;
  const surface = parseSurface(payload.surface);
  if (!surface || typeof text !== 'string') return undefined;
  return { surface, text, options: isJson(options) ? options : {} };
}

function parseSurface(value: JsonValue | undefined): Surface | undefined {
  if (!isJson(value) || !isJson(value.peer)) return undefined;
  const { channel, accountId, peer, threadId } = value;
  const { kind, id } = peer as JsonObject;
  if (typeof channel !== 'string' || typeof accountId !== 'string' || typeof id !== 'string') return undefined;
  if (!isPeerKind(kind)) return undefined;
  const place = { channel, accountId, peer: { kind, id } };
  return typeof threadId === 'string' ? { ...place, threadId } : place;
}

function isJson(value: JsonValue | undefined): value is JsonObject {
  return value !== undefined && isJsonObject(value);
}

function isPeerKind(value: JsonValue | undefined): value is Peer['kind'] {
  return value === 'direct' || value === 'group' || value === 'channel';
}
