// An outbound dead letter goes back into the outbox, on a person's word. It becomes a row of its own under a part number
// that its run has not used, so that what happened to the first one stays on record and no channel takes the two for one.

import { type Peer, type Surface, surfaceId } from '../protocol/inbound.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../protocol/json.ts';
import type { Write } from '../store/store.ts';
import type { DeadLetterRow } from '../store/tables.ts';
import { DeadLetterUnusableError } from './errors.ts';

export interface ReplaySettings {
  /** The numbers of all parts that the letter's run has in the outbox. */
  readonly partsOfRun: readonly number[];
  readonly now: number;
  readonly ttlMs: number;
}

/** One commit's writes; it fails when the letter was answered meanwhile. Throws for a letter that is not outbound. */
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
