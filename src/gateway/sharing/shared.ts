// A gateway that is one of several nodes with one store. It is loaded only then.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../../cluster/cluster.ts';
import { SharedOutbox } from '../../delivery/shared-outbox.ts';
import type { Say } from '../../protocol/log.ts';
import { timeLimit } from '../../protocol/time-limit.ts';
import { NodeExpelledError } from '../../store/errors.ts';
import { Chores } from './chores.ts';
import { EndedRuns } from './ended-runs.ts';
import { SharedConfig } from './shared-config.ts';
import { SharedDebug } from './shared-debug.ts';
import { SharedEvents } from './shared-events.ts';
import { SharedPlatform } from './shared-platform.ts';
import { SharedTraces } from './shared-traces.ts';
import type { ConnectedParts, Connection, Sharing } from './sharing.ts';

export function shared(cluster: Cluster, warn: Say): Sharing {
  const chores = new Chores({ cluster, warn });
  return {
    cluster,
    node: cluster.node,
    isMine: chores.isMine,
    // A client that waited at a process that is gone is gone too.
    isClientGone: ({ isAwaited, awaitedBy = null }) => isAwaited === true && !cluster.hasProcess(awaitedBy),
    tellOthers: (topic, message) => cluster.publish(topic, message),
    lookEveryMs: (ms) => ms,
    // It is a chore instead.
    atStart: () => undefined,
    again: (work) => again(cluster, work),
    shareOutbox: (parts) => new SharedOutbox({ ...parts, cluster }),
    watchEnds: (store) => new EndedRuns({ store }),
    openPlatform: (parts) => new SharedPlatform({ ...parts, cluster }),
    connect: (parts) => connect({ ...parts, cluster }, chores),
  };
}

/** As long as requests wait for a server. */
const AGAIN_MS = 10_000;
/** It takes a moment until a node that was expelled knows it. */
const PAUSE_MS = 100;

async function again<Value>(cluster: Cluster, work: () => Promise<Value>): Promise<Value> {
  const deadline = Date.now() + AGAIN_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NodeExpelledError) || Date.now() + PAUSE_MS > deadline) throw error;
      await sleep(PAUSE_MS);
      const limit = timeLimit(deadline - Date.now(), () => error);
      await cluster.whileMember(limit.signal).finally(limit.clear);
    }
  }
}

function connect(parts: ConnectedParts & { readonly cluster: Cluster }, chores: Chores): Connection {
  const settings = new SharedConfig(parts);
  const events = new SharedEvents(parts);
  const debug = new SharedDebug(parts);
  const traces = new SharedTraces(parts);
  return {
    settings,
    traces,
    events: [{ name: 'the live events of the nodes', open: () => events.open(), close: () => events.close() }],
    listParts: (list) => [
      { name: 'the settings of the nodes', open: () => settings.open(), close: () => settings.close() },
      { name: 'the switches of the nodes', open: () => debug.open(), close: () => debug.close() },
      { name: 'the trajectories of the nodes', open: () => traces.open(), close: () => traces.close() },
      { name: 'the chores of the nodes', open: () => chores.open(list()), close: () => chores.close() },
    ],
  };
}
