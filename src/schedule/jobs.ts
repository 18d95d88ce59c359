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
  /** Does work again whose commit was refused for the moment. */
  readonly again?: (<Value>(work: () => Promise<Value>) => Promise<Value>) | undefined;
}

export class Jobs {
  readonly #parts: JobsParts;

  constructor(parts: JobsParts) {
    this.#parts = parts;
  }

  async add({ deliver, agentId, ...job }: AskedJob): Promise<JobRow> {
    const { schedule, defaultAgentId } = this.#parts;
    const draft = { ...job, agentId: agentId ?? defaultAgentId, ...this.#deliverTo(deliver) };
    return this.#again(() => schedule.add(draft));
  }

  async edit(id: string, { deliver, ...edit }: AskedJobEdit): Promise<JobRow> {
    const changes = { ...edit, ...this.#deliverTo(deliver) };
    return this.#again(() => this.#parts.schedule.edit(id, changes));
  }

  remove(id: string): Promise<JobRow> {
    return this.#again(() => this.#parts.schedule.remove(id));
  }

  run(id: string): Promise<StartedJob> {
    return this.#again(() => this.#parts.schedule.run(id));
  }

  status(): Promise<ScheduleStatus> {
    return this.#parts.schedule.status();
  }

  #again<Value>(work: () => Promise<Value>): Promise<Value> {
    const { again } = this.#parts;
    return again ? again(work) : work();
  }

  #deliverTo(deliver: AskedJobEdit['deliver']): Pick<JobDraft, 'deliverTo'> {
    if (deliver === undefined) return {};
    return { deliverTo: deliver === null ? null : parseDeliverTarget(deliver, this.#parts.channels()) };
  }
}
