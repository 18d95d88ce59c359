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
  /** `provider/model` or an alias; null is the model of the agent. */
  readonly model?: string | null | undefined;
  /** The models that are asked when that one fails; null is the fallbacks of the agent, and none is an empty list. */
  readonly fallbacks?: readonly string[] | null | undefined;
  /** The longest that a run may take; null is the limit of every run. */
  readonly timeoutSeconds?: number | null | undefined;
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
const MAX_MODEL_LENGTH = 256;
export const MAX_FALLBACKS = 20;
/** A week, as for every run. */
const MAX_SECONDS = 604_800;

export function checkJob(
  job: Pick<JobRow, 'name' | 'message' | 'session' | 'deliverTo' | 'model' | 'fallbacks' | 'timeoutSeconds'>,
): void {
  const { name, message, session, deliverTo, model, fallbacks, timeoutSeconds } = job;
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
  const isNoName = (each: string) => each.trim() === '' || each.length > MAX_MODEL_LENGTH;
  if (model !== null && isNoName(model)) throw new InvalidJobError({ problem: 'its model is no name of a model' });
  if (fallbacks?.some(isNoName)) throw new InvalidJobError({ problem: 'one of its fallbacks is no name of a model' });
  if (fallbacks && fallbacks.length > MAX_FALLBACKS)
    throw new InvalidJobError({ problem: `it has more than ${MAX_FALLBACKS} fallbacks` });
  if (
    timeoutSeconds !== null &&
    !(Number.isInteger(timeoutSeconds) && timeoutSeconds >= 1 && timeoutSeconds <= MAX_SECONDS)
  )
    throw new InvalidJobError({ problem: `its time limit is no whole number of seconds from 1 to ${MAX_SECONDS}` });
  // The main session reads private files, and every member of a group would read its answers.
  if (session === 'main' && deliverTo !== null && deliverTo.peer.kind !== 'direct') {
    throw new InvalidJobError({
      problem: 'a job in the main session cannot answer in a group or channel; give it its own session',
    });
  }
}
