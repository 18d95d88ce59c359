// Adds jobs to a gateway that may die over it. A job has a name of its own, so whether it was added is looked up before
// it is added again.

import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayProcess } from '../src/testkit/gateway-process.ts';
import { unlessDown } from './approving-person.ts';

const PAUSE_MS = 25;

export interface AddedJob {
  readonly id: string;
  readonly name: string;
}

/** Undefined when it could not be added in time. */
export async function addJob(
  gateway: GatewayProcess,
  job: { readonly name: string; readonly message: string; readonly schedule: object; readonly deliver: string },
  patienceMs: number,
): Promise<AddedJob | undefined> {
  const find = async () =>
    (await gateway.json<{ jobs?: readonly AddedJob[] }>('/api/cron/jobs')).jobs?.find(({ name }) => name === job.name);
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(PAUSE_MS)) {
    const added = await addOnce().catch(unlessDown);
    if (added) return added;
  }
  return undefined;

  async function addOnce(): Promise<AddedJob | undefined> {
    const known = await find();
    if (known) return known;
    await (await gateway.fetch('/api/cron/jobs', { body: job })).text();
    return find();
  }
}
