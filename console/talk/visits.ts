// Answers of jobs and heartbeats at this place. They come from sessions of their own, whose transcripts the page does
// not load, so they are stored in the browser and survive a reload.

import { browserMemory } from '../browser-memory.ts';
import type { SentFile } from './sent-file.ts';

export interface Visit {
  readonly seq: number;
  readonly runId: string;
  readonly text: string;
  readonly files?: readonly SentFile[] | undefined;
  readonly at: number;
}

export function readVisits(surface: string): readonly Visit[] {
  return browserMemory.getList<Visit>(`visits.${surface}`);
}

export function keepVisit(surface: string, visit: Visit): void {
  // Another tab of the same browser gets the answer as well, so it is stored once.
  const others = readVisits(surface).filter(({ seq }) => seq !== visit.seq);
  browserMemory.set(`visits.${surface}`, JSON.stringify([...others, visit].slice(-MOST_VISITS)));
}

const MOST_VISITS = 20;
