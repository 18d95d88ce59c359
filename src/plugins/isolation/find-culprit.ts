// Who ended the worker, or kept it from answering. The board tells, because it is written before every callback; where
// it shows nobody's code, what is known besides makes suspects of some, and one of them is taken. Should the trouble come
// again, the next one is, so that in the end the culprit is among those that were suspended.

export interface WorkerEvidence {
  /** Whose code ran; 0 is nobody's. */
  readonly running: number;
  readonly lastRan: number;
  /** Those that were being loaded or had begun a call that they had not answered. */
  readonly busy: readonly number[];
  readonly present: readonly number[];
}

export interface Culprit {
  readonly slot: number;
  /** Everybody whom it could have been, when that is not certain. */
  readonly suspects: readonly number[];
}

export function findCulprit({ running, lastRan, busy, present }: WorkerEvidence): Culprit | undefined {
  if (present.includes(running)) return { slot: running, suspects: [] };
  const suspects = busy.length > 0 ? busy : present;
  const [first, ...others] = suspects;
  if (first === undefined) return undefined;
  if (others.length === 0 && busy.length > 0) return { slot: first, suspects: [] };
  return { slot: suspects.includes(lastRan) ? lastRan : first, suspects };
}
