// A conversation of OpenClaw as it lies in its home, whichever version wrote it. Its events are read one after the other,
// so that a home of any size is read in bounded memory.

export interface SourceSession {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  /** When it began; undefined where only the transcript says so. */
  readonly startedAt: number | undefined;
  /** When a person last took part. */
  readonly activeAt: number;
  /** Null for the conversation that goes on under this key. */
  readonly endedAt: number | null;
  /** Names the file, and the row in it, for people. */
  readonly place: string;
  /** The same text as long as nothing has changed, so that it need not be read again. */
  readonly stamp: string;
  /** Whether the events are one line of talk already. Otherwise each names the one before it, and the last one counts. */
  readonly isLinear: boolean;
  /** The name that OpenClaw shows for it. */
  readonly title?: string | undefined;
  /** The model that a person chose for it. */
  readonly model?: string | undefined;
  /** What else was chosen for it and has no counterpart here, by the names of OpenClaw. */
  readonly unused?: readonly string[] | undefined;
  events(): AsyncIterable<SourceEvent>;
}

/** One line of a transcript, or why it cannot be read. Lines count from 1. */
export type SourceEvent =
  | { readonly line: number; readonly value: unknown }
  | { readonly line: number; readonly problem: string };

/** Something that was found and not brought along, or only in part. */
export interface ImportNote {
  readonly place: string;
  readonly sentence: string;
}
