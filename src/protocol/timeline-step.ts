// A step of a run, as clients are shown it: what it was, when it began and how long it took.

import type { JsonValue } from './json.ts';

/** The kinds in the order of the life of a message. */
export const STEP_KINDS = [
  'inbox',
  'composition',
  'hook',
  'model',
  'tool',
  'approval',
  'subagent',
  'delivery',
] as const;

export interface TimelineStep {
  readonly kind: (typeof STEP_KINDS)[number];
  readonly label: string;
  /** What it did, what came of it, or what went wrong, in words. */
  readonly detail: string;
  readonly at: number;
  /** Null while it goes on, and when its end is not known. */
  readonly ms: number | null;
  readonly isFault: boolean;
  /** How long a model call took until the model began to answer. */
  readonly firstByteMs?: number | undefined;
  /** The number of a model call, under which its request is kept. */
  readonly call?: number | undefined;
  /** The fields that a handler decided, with their values before and after as far as they are kept. */
  readonly changed?: readonly string[] | undefined;
  readonly diff?: JsonValue | undefined;
  /** The session of a subagent. */
  readonly sessionKey?: string | undefined;
}
