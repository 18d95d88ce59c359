// The jobs of a schedule as clients write them, with surfaces as words. Listing jobs needs only the store, so it works
// while no gateway runs.
//
// Errors: rejects with InvalidJobError, InvalidScheduleError or UnknownJobError.

import type { JobRow } from '../store/tables.ts';
import { parseDeliverTarget } from './deliver-target.ts';
import type { JobDraft, JobEdit } from './job-draft.ts';
import type { Schedule, ScheduleStatus, StartedJob } from './schedule.ts';

/** Without an agent, the default agent gets the job. `deliver` is a surface such as `web:<name>`, or `none`. */
export type AskedJob = Omit<JobDraft, 'agentId' | 'deliverTo'> & {
  readonly agentId?: string | undefined;
  readonly deliver?: string | null | undefined;
};

export type AskedJobEdit = Omit<JobEdit, 'deliverTo'> & { readonly deliver?: string | null | undefined };

export interface JobsParts {
  readonly schedule: Schedule;
  /** The ids of the channels that answers can go to. */
  readonly channels: () => readonly string[];
  readonly defaultAgentId: string;
}

export class Jobs {
  readonly #parts: JobsParts;

  constructor(parts: JobsParts) {
    this.#parts = parts;
  }

  async add({ deliver, agentId, ...job }: AskedJob): Promise<JobRow> {
    const { schedule, defaultAgentId } = this.#parts;
    return schedule.add({ ...job, agentId: agentId ?? defaultAgentId, ...this.#deliverTo(deliver) });
  }

  async edit(id: string, { deliver, ...edit }: AskedJobEdit): Promise<JobRow> {
    return this.#parts.schedule.edit(id, { ...edit, ...this.#deliverTo(deliver) });
  }

  remove(id: string): Promise<JobRow> {
    return this.#parts.schedule.remove(id);
  }

  run(id: string): Promise<StartedJob> {
    return this.#parts.schedule.run(id);
  }

  status(): Promise<ScheduleStatus> {
    return this.#parts.schedule.status();
  }

  #deliverTo(deliver: AskedJobEdit['deliver']): Pick<JobDraft, 'deliverTo'> {
    if (deliver === undefined) return {};
    return { deliverTo: deliver === null ? null : parseDeliverTarget(deliver, this.#parts.channels()) };
  }
}
