// What was said in sessions, for the index that reads them again and again while they go on. What runs before the last one
// said does not change any more, so of a session that is remembered only the last run and what was added is read.
//
// Promise: what is read is what the store has. The end of a run may still remove or change what the run said, as that of a
// heartbeat without a report does; therefore what the last run said is never remembered. What is remembered is bounded by
// the characters of all messages; a session that is deleted leaves with the next ones that are read.

import { piecesOfMessage } from '../../../agent/request-text.ts';
import type { Store } from '../../../store/store.ts';
import type { TranscriptRow } from '../../../store/tables.ts';
import type { TranscriptOf } from '../read-request-spans.ts';

interface KnownTranscript {
  readonly rows: readonly TranscriptRow[];
  readonly chars: number;
}

const MOST_CHARS = 1_000_000;

export class GrowingTranscripts {
  readonly #store: Store;
  /** The transcript of each session; the one that was used last is at the end. */
  readonly #known = new Map<string, KnownTranscript>();
  #chars = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Reads each session once, because many runs of one session are looked at together. */
  reader(): TranscriptOf {
    const read = new Map<string, ReturnType<TranscriptOf>>();
    return (sessionId) => {
      const rows = read.get(sessionId) ?? this.#read(sessionId);
      read.set(sessionId, rows);
      return rows;
    };
  }

  async #read(sessionId: string): Promise<readonly TranscriptRow[]> {
    const { rows: known, chars } = this.#known.get(sessionId) ?? NOTHING;
    const added = await this.#store.select('transcript', {
      where: { sessionId, position: { gt: known.at(-1)?.position ?? 0 } },
      orderBy: [['position', 'asc']],
    });
    const settled = added.slice(0, beginOfLastRun(added));
    this.#remember(sessionId, {
      rows: settled.length === 0 ? known : [...known, ...settled],
      chars: chars + settled.reduce((sum, row) => sum + charsOf(row), 0),
    });
    return added.length === 0 ? known : [...known, ...added];
  }

  #remember(sessionId: string, transcript: KnownTranscript): void {
    this.#chars += transcript.chars - (this.#known.get(sessionId)?.chars ?? 0);
    this.#known.delete(sessionId);
    this.#known.set(sessionId, transcript);
    for (const [oldest, { chars }] of this.#known) {
      if (this.#chars <= MOST_CHARS) break;
      this.#known.delete(oldest);
      this.#chars -= chars;
    }
  }
}

const NOTHING: KnownTranscript = { rows: [], chars: 0 };

function beginOfLastRun(rows: readonly TranscriptRow[]): number {
  const last = rows.at(-1)?.runId;
  return rows.findIndex(({ runId }) => runId === last);
}

/** A row takes some room of its own, too. */
function charsOf({ message }: TranscriptRow): number {
  return piecesOfMessage(message).reduce((sum, { length }) => sum + length, 200);
}
