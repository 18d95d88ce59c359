// A gateway that has its store alone: there is nobody to tell or to hear, and what is unfinished at its start is its to end.

import type { Cluster } from '../../cluster/cluster.ts';
import type { Connection, Sharing } from './sharing.ts';

const NO_CONNECTION: Connection = {
  settings: { wasRead: () => undefined, pluginReloaded: () => undefined, warnings: [] },
  traces: { ask: async () => ({ lines: [], missing: [] }) },
  events: [],
  listParts: () => [],
};

/** `startedAt` is when this process was started. */
export function alone(cluster: Cluster, startedAt: number): Sharing {
  return {
    cluster,
    node: undefined,
    isMine: () => true,
    // A client that waited on a connection of an earlier process is gone.
    isClientGone: ({ isAwaited }, acceptedAt) => isAwaited === true && acceptedAt < startedAt,
    tellOthers: undefined,
    lookEveryMs: () => undefined,
    atStart: (work) => work,
    again: (work) => work(),
    shareOutbox: () => undefined,
    watchEnds: () => undefined,
    openPlatform: ({ create }) => create(),
    connect: () => NO_CONNECTION,
  };
}
