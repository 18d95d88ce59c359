// Runs that are suspended, for whatever they wait: stopped from outside, and ended when the client that waited for their
// answer is gone.

import { CLIENT_GONE } from '../../agent/client-gone.ts';
import type { Inbound } from '../../protocol/inbound.ts';
import type { Store } from '../../store/store.ts';
import type { Approvals } from './approvals.ts';
import type { Waits } from './waits.ts';

export interface SuspensionsParts {
  readonly store: Store;
  readonly approvals: Pick<Approvals, 'cancel'>;
  readonly waits: Pick<Waits, 'cancel'>;
  /** Whether the client that waits for the answer to this message on a connection is gone. */
  readonly isClientGone: (inbound: Inbound, acceptedAt: number) => boolean;
  /** Ends the run that is going on in this session; false when there is none, or when it is suspended. */
  readonly stopLane: (sessionKey: string, reason: string) => Promise<boolean>;
}

export class Suspensions {
  readonly #parts: SuspensionsParts;

  constructor(parts: SuspensionsParts) {
    this.#parts = parts;
  }

  /**
   * A client that waited on a connection of an earlier process is gone, so it would not get the answer. Its run is
   * ended, unless the client was told to run its own tools: it comes back with the results.
   */
  async open(): Promise<void> {
    const { store } = this.#parts;
    for (const { runId } of await store.select('runs', { where: { status: 'suspended' } })) {
      const [origin] = await store.select('inbox', { where: { runId }, orderBy: [['seq', 'asc']], limit: 1 });
      const isExpected =
        (await store.count('waits', { runId, status: { not: 'cancelled' }, handed: { not: null } })) > 0 ||
        (await store.count('inbox', { runId, kind: 'client' })) > 0;
      if (!origin?.payload || isExpected) continue;
      if (this.#parts.isClientGone(origin.payload.inbound, origin.acceptedAt)) await this.cancel(runId, CLIENT_GONE);
    }
  }

  /** Ends the run that goes on in a session, or that is suspended there. False when there is none. */
  async stop(sessionKey: string, reason: string): Promise<boolean> {
    const { stopLane, store } = this.#parts;
    // A run that is about to suspend counts as running but does not receive the stop any more, so both ways are always
    // tried.
    const isRunning = await stopLane(sessionKey, reason);
    const [run] = await store.select('runs', { where: { sessionKey, status: 'suspended' }, limit: 1 });
    if (!run) return isRunning;
    // The run may have continued meanwhile; then it is running now.
    return (await this.cancel(run.runId, reason)) || isRunning || (await stopLane(sessionKey, reason));
  }

  /** Stops a suspended run. False when the run is not suspended. */
  async cancel(runId: string, reason: string): Promise<boolean> {
    const { approvals, waits } = this.#parts;
    return (await approvals.cancel(runId, reason)) || waits.cancel(runId, reason);
  }
}
