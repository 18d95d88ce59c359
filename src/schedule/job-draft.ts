// A job as a client asks for it, before it is a row, and the rules for such a job.

import type { Surface } from '../protocol/inbound.ts';
import type { JobRow } from '../store/tables.ts';
import { InvalidJobError } from './errors.ts';
import type { WrittenSchedule } from './job-schedule.ts';

export interface JobDraft {
  readonly name: string;
  readonly agentId: string;
  readonly schedule: WrittenSchedule;
  /** What the agent is told. */
  readonly message: string;
  /** The default is `own`. */
  readonly session?: JobRow['session'] | undefined;
  readonly deliverTo?: Surface | null | undefined;
  readonly missed?: JobRow['missed'] | undefined;
  /** For jobs that are due only once. */
  readonly removeAfterRun?: boolean | undefined;
  readonly enabled?: boolean | undefined;
  /** A name for people: `cli`, `api`, a session key, `job:<id>`. */
  readonly createdBy: string;
}

/** The fields that may be changed afterwards. The agent of a job cannot change. */
export type JobEdit = Partial<Omit<JobDraft, 'agentId' | 'createdBy'>>;

export const MAX_JOBS = 1_000;
const MAX_NAME_LENGTH = 100;
const MAX_MESSAGE_LENGTH = 20_000;

export function checkJob(job: Pick<JobRow, 'name' | 'message' | 'session' | 'deliverTo'>): void {
  const { name, message, session, deliverTo } = job;
  if (name.trim() === '') throw new InvalidJobError({ problem: 'it has no name' });
  if (name.length > MAX_NAME_LENGTH)
    throw new InvalidJobError({ problem: `its name is longer than ${MAX_NAME_LENGTH} characters` });
  if (/[\p{Cc}\p{Cs}]/u.test(name)) throw new InvalidJobError({ problem: 'its name holds control characters' });
  if (message.trim() === '') throw new InvalidJobError({ problem: 'it has no message for the agent' });
  if (message.length > MAX_MESSAGE_LENGTH) {
    throw new InvalidJobError({
      problem: `its message is longer than ${MAX_MESSAGE_LENGTH.toLocaleString('en-US')} characters`,
    });
  }
  // The main session reads private files, and every member of a group would read its answers.
  if (session === 'main' && deliverTo !== null && deliverTo.peer.kind !== 'direct') {
    throw new InvalidJobError({
      problem: 'a job in the main session cannot answer in a group or channel; give it its own session',
    });
  }
}
