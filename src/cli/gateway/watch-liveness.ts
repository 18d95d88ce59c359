// Notices a gateway that exists and does not answer: its process was stopped, or it spins. A request to it may take as
// long as it needs, but only while the gateway says in between that it is alive.

import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayFrozenError } from '../errors.ts';
import { sendRequest } from './send-request.ts';

export interface GatewayPlace {
  readonly url: string;
  /** Undefined for a gateway of this process. */
  readonly pid?: number | undefined;
}

const QUIET_MS = 500;
const ALIVE_MS = 3_000;
/** A command waits this long at most for a gateway that does not answer. */
export const LONGEST_SILENCE_MS = QUIET_MS + ALIVE_MS;
/** For a process that is known to be stopped. It is asked all the same, because the number may be another's by now. */
const STOPPED_MS = 500;

/** Rejects with GatewayFrozenError when the gateway does not answer; then the signal of the request is aborted too. */
export async function watchLiveness<Value>(
  place: GatewayPlace,
  request: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const over = new AbortController();
  const watch = async (): Promise<never> => {
    for (;;) {
      await sleep(QUIET_MS, undefined, { signal: over.signal });
      await checkAlive(place);
    }
  };
  try {
    return await Promise.race([request(over.signal), watch()]);
  } finally {
    over.abort();
  }
}

/** Rejects with GatewayFrozenError. Another problem is told by the request that follows. */
export async function checkAlive(place: GatewayPlace): Promise<void> {
  const state = await stateOf(place.pid);
  const signal = AbortSignal.timeout(state === 'stopped' ? STOPPED_MS : ALIVE_MS);
  try {
    await sendRequest(`${place.url}/healthz`, { method: 'GET', signal });
  } catch (error) {
    if (signal.aborted) throw new GatewayFrozenError({ ...place, state }, { cause: error });
  }
}

/** Linux says whether a process was stopped. Elsewhere that is not known. */
async function stateOf(pid: number | undefined): Promise<'stopped' | 'unknown'> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return /^\d+ \(.*\) [Tt] /s.test(stat) ? 'stopped' : 'unknown';
}
