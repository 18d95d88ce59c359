// Jobs and heartbeats answer on a surface out of sessions of their own, whose talk the page does not load. What they said
// is kept in the browser, so that a reload does not take it away.

import { browserMemory } from '../browser-memory.ts';

export interface Visit {
  readonly seq: number;
  readonly runId: string;
  readonly text: string;
  readonly at: number;
}

export function readVisits(surface: string): readonly Visit[] {
  return browserMemory.getList<Visit>(`visits.${surface}`);
}

export function keepVisit(surface: string, visit: Visit): void {
  // Another tab of the same browser is told as well.
  const others = readVisits(surface).filter(({ seq }) => seq !== visit.seq);
  browserMemory.set(`visits.${surface}`, JSON.stringify([...others, visit].slice(-MOST_VISITS)));
}

const MOST_VISITS = 20;
