// Keeps in memory what was said in sessions that talk now, so that a run reads from the store only what was added since the
// last run of its session. A long conversation would otherwise be read and parsed as a whole with every message.
//
// Promise: a run gets the same rows as from the store, also when another process has worked for the session meanwhile.
// What was said before a run begins never changes while its session is open: a run changes only entries of its own, and it
// is over before the next one begins. So rows are learnt when a run begins and never later, the store is asked each time
// for everything from the last known row on, and a session whose last known row is not as it was is read anew.
// The memory is bounded in characters and in sessions; the session that was silent for longest is forgotten first.

import type { Store } from '../store/store.ts';
import type { TranscriptRow } from '../store/tables.ts';

export interface TranscriptMemoryOptions {
  /** The most characters of all rows that are kept. */
  readonly mostChars?: number | undefined;
  /** The most sessions that are kept, however short. */
  readonly mostSessions?: number | undefined;
}

const MOST_CHARS = 16 * 1024 * 1024;
/**
 * A short conversation is soon read anew, and takes several times its characters in memory, with what is worked out about
 * each message. Without this bound, thousands of conversations that are over would be kept.
 */
const MOST_SESSIONS = 96;

export class TranscriptMemory {
  readonly #store: Store;
  readonly #mostChars: number;
  readonly #mostSessions: number;
  /** The transcripts by session id; the one that was used last is at the end. */
  readonly #sessions = new Map<string, KnownTranscript>();
  #chars = 0;

  constructor(store: Store, { mostChars = MOST_CHARS, mostSessions = MOST_SESSIONS }: TranscriptMemoryOptions = {}) {
    this.#store = store;
    this.#mostChars = mostChars;
    this.#mostSessions = mostSessions;
  }

  /** The characters that are kept now. */
  get chars(): number {
    return this.#chars;
  }

  /** The transcript of a session whose next run begins, without what a summary has replaced. */
  async load(sessionId: string): Promise<readonly TranscriptRow[]> {
    const known = this.#sessions.get(sessionId);
    const loaded = (known && (await this.#goOn(sessionId, known))) ?? (await this.#readAnew(sessionId));
    this.#keep(sessionId, loaded);
    return loaded.rows;
  }

  /** Undefined when what is known is not the beginning of what the store has. */
  async #goOn(sessionId: string, { rows, chars }: KnownTranscript): Promise<KnownTranscript | undefined> {
    const last = rows.at(-1);
    const [same, ...added] = await this.#store.select('transcript', {
      where: { sessionId, position: { gte: last?.position ?? 0 } },
      orderBy: [['position', 'asc']],
    });
    if (!last || !same || !isSame(same, last)) return undefined;
    if (added.length === 0) return { rows, chars };
    const compaction = added.findLast(({ kind }) => kind === 'compaction');
    if (!compaction) return { rows: [...rows, ...added], chars: chars + charsOf(added) };
    const to = summarisedTo(compaction);
    // A summary that stands for less than the one before it brings rows back that are not known here.
    if (to < (rows[0]?.position ?? 0) - 1) return undefined;
    const left = [...rows, ...added].filter(({ position }) => position > to);
    return { rows: left, chars: charsOf(left) };
  }

  async #readAnew(sessionId: string): Promise<KnownTranscript> {
    const rows = await loadTranscript(this.#store, sessionId);
    return { rows, chars: charsOf(rows) };
  }

  #keep(sessionId: string, transcript: KnownTranscript): void {
    this.#forget(sessionId);
    if (transcript.rows.length === 0) return;
    this.#sessions.set(sessionId, transcript);
    this.#chars += transcript.chars;
    for (const oldest of this.#sessions.keys()) {
      if (this.#chars <= this.#mostChars && this.#sessions.size <= this.#mostSessions) break;
      this.#forget(oldest);
    }
  }

  #forget(sessionId: string): void {
    this.#chars -= this.#sessions.get(sessionId)?.chars ?? 0;
    this.#sessions.delete(sessionId);
  }
}

/** The transcript from the store, without what a summary has replaced. */
export async function loadTranscript(store: Store, sessionId: string): Promise<readonly TranscriptRow[]> {
  const [compaction] = await store.select('transcript', {
    where: { sessionId, kind: 'compaction' },
    orderBy: [['position', 'desc']],
    limit: 1,
  });
  return store.select('transcript', {
    where: { sessionId, position: { gt: summarisedTo(compaction) } },
    orderBy: [['position', 'asc']],
  });
}

interface KnownTranscript {
  readonly rows: readonly TranscriptRow[];
  readonly chars: number;
}

/** The position up to which a summary stands for what was said. The summary itself stands behind it. */
function summarisedTo(compaction: TranscriptRow | undefined): number {
  const position = compaction?.meta.summarisedTo;
  return typeof position === 'number' ? position : 0;
}

function isSame(a: TranscriptRow, b: TranscriptRow): boolean {
  return a.position === b.position && a.runId === b.runId && a.at === b.at && a.kind === b.kind;
}

/** About what a row takes in memory. */
function charsOf(rows: readonly TranscriptRow[]): number {
  return rows.reduce((sum, row) => sum + JSON.stringify(row).length, 0);
}
