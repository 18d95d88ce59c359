// Builds what pages are told while they are open: that something has changed, and how the gateway does.

import type { Lanes } from '../../lanes/lanes.ts';
import type { ChangeTopic } from '../../protocol/change-topic.ts';
import type { GatewayDelivery } from '../gateway-delivery.ts';
import { Changes } from '../settings/changes.ts';
import type { ConfigWatch } from '../settings/config-watch.ts';
import type { Sharing } from '../sharing/sharing.ts';
import { Pulse } from '../upkeep/pulse.ts';
import type { GatewayPlugins } from './create-plugins.ts';
import type { Records } from './create-records.ts';
import { storeFilesOf } from './open-state.ts';

export interface PageNewsOptions {
  readonly delivery: GatewayDelivery;
  readonly plugins: GatewayPlugins;
  readonly configWatch: ConfigWatch;
  readonly records: Pick<Records, 'live'>;
  readonly lanes: Pick<Lanes, 'running'>;
  readonly stateDir: string;
  /** Another value when a bootstrap file was changed. */
  readonly stampOfFiles: () => unknown;
  readonly sharing: Pick<Sharing, 'cluster' | 'tellOthers'>;
  readonly now: () => number;
}

export interface PageNews {
  readonly changes: Changes;
  readonly pulse: Pulse;
}

export function createPageNews(options: PageNewsOptions): PageNews {
  const { delivery, plugins, configWatch, records, lanes, stateDir, now } = options;
  const { cluster, tellOthers } = options.sharing;
  const { web } = delivery.sockets;
  const changes = new Changes({
    isWatched: () => web.isWatched,
    tell: (topics) => web.tellWatchers({ type: 'changed', topics }),
    tellElsewhere: tellOthers && ((topics) => tellOthers('change', { topics: [...topics] })),
    looks: {
      plugins: () => plugins.control.list().map(({ id, state, generation, reason }) => [id, state, generation, reason]),
      channels: () => delivery.channels.map(({ id, accounts }) => [id, accounts?.list()]),
      config: () => [configWatch.current.files, configWatch.warnings(), configWatch.changedSinceStart()],
      files: options.stampOfFiles,
    },
  });
  cluster.subscribe('change', (message) =>
    changes.noteFromElsewhere((message as { readonly topics: readonly ChangeTopic[] }).topics),
  );
  const pulse = new Pulse({
    files: storeFilesOf(stateDir),
    running: () => lanes.running.length,
    now,
    sampled: (sample) => web.tellWatchers({ type: 'sample', sample }),
  });
  records.live.subscribeHere(pulse.watch);
  return { changes, pulse };
}
