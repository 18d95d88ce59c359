// Files that are there and are not read: what an operator has to hear of, because a person wrote them and relies on
// them. A file that simply does not exist is none of these.

import type { Absence, AbsenceReason } from '../composition.ts';

const REFUSALS: ReadonlySet<AbsenceReason> = new Set(['unreadable', 'outside-workspace', 'too-large']);

/** The files that were refused, in the order of the report, each of them once. */
export function refusedFiles(absences: readonly Absence[]): readonly Absence[] {
  const seen = new Set<string>();
  return absences.filter(({ what, reason, detail, isThere }) => {
    const name = `${what}\0${detail}`;
    if (!(isThere || REFUSALS.has(reason)) || seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

/** The sentence about it in the warnings of a report. */
export function describeRefusal({ what, detail }: Absence): string {
  return `${what} is there and is not read: ${detail}`;
}
