// Builds what a run can wait for besides a model and a tool: the answer of a person, the end of other sessions, the
// result of a client; and the one way to stop a run that waits.

import type { DeliveryPort } from '../../agent/run-parts.ts';
import type { Lanes } from '../../lanes/lanes.ts';
import type { Say } from '../../protocol/log.ts';
import type { Store } from '../../store/store.ts';
import { Approvals } from '../services/approvals.ts';
import { Suspensions, type SuspensionsParts } from '../services/suspensions.ts';
import { Waits } from '../services/waits.ts';
import type { Records } from './create-records.ts';

export interface SuspensionOptions {
  readonly store: Store;
  readonly records: Pick<Records, 'live' | 'teller'>;
  readonly delivery: DeliveryPort;
  readonly lanes: Pick<Lanes, 'wake' | 'stop'>;
  readonly isClientGone: SuspensionsParts['isClientGone'];
  /** Set where several nodes share the store: whether this one ends what has waited for too long. */
  readonly isMine?: (() => boolean) | undefined;
  readonly now: () => number;
  readonly warn: Say;
}

export interface BuiltSuspensions {
  readonly approvals: Approvals;
  readonly waits: Waits;
  readonly suspensions: Suspensions;
}

export function createSuspensions(options: SuspensionOptions): BuiltSuspensions {
  const { store, records, delivery, lanes, isClientGone, isMine, now, warn } = options;
  const { tell } = records.teller;
  const subscribe = records.live.subscribe.bind(records.live);
  const wakeLane = (sessionKey: string) => lanes.wake(sessionKey);
  const approvals = new Approvals({ store, delivery, wakeLane, tell, subscribe, isMine, now, warn });
  const waits = new Waits({
    store,
    unended: async (childKeys) => {
      const working = await store.select('children', { where: { childKey: { in: childKeys }, endedAt: null } });
      return working.map(({ childKey }) => childKey);
    },
    concerns: ({ type }) => type === 'wait-start' || type === 'child-end',
    subscribe,
    wakeLane,
    tell,
    isMine,
    now,
    warn,
  });
  const stopLane = (sessionKey: string, reason: string) => lanes.stop(sessionKey, reason);
  return { approvals, waits, suspensions: new Suspensions({ store, approvals, waits, isClientGone, stopLane }) };
}
