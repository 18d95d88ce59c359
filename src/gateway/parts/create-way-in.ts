// Builds the way in: who may talk, the inbox that every message goes through, and the webhooks of other programs.

import { queueInjection } from '../../agent/queue-injection.ts';
import type { AttachmentStore } from '../../attachments/attachment-store.ts';
import { expandAccessGroups } from '../../config/access-groups.ts';
import { groupHistoryLimitOf } from '../../config/channels/history-limit.ts';
import { configuredTokenOf } from '../../config/configured-token.ts';
import type { Environment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import type { Lanes } from '../../lanes/lanes.ts';
import type { WorkerPlugins } from '../../plugins/isolation/worker-plugins.ts';
import type { Say } from '../../protocol/log.ts';
import type { Store } from '../../store/store.ts';
import type { GatewayDelivery } from '../gateway-delivery.ts';
import { Admission } from '../inbound/admission.ts';
import type { GatewayCommandPorts } from '../inbound/command-ports.ts';
import { Inbox } from '../inbound/inbox.ts';
import { MentionPatterns } from '../inbound/mention-patterns.ts';
import { OverheardTalk } from '../inbound/overheard-talk.ts';
import { RefusalLog } from '../inbound/refusal-log.ts';
import { Pairings } from '../services/pairings.ts';
import type { Waits } from '../services/waits.ts';
import { WebhookTransforms } from '../webhooks/webhook-transforms.ts';
import { Webhooks } from '../webhooks/webhooks.ts';
import type { BuiltDraftParts } from './create-draft-parts.ts';
import type { Records } from './create-records.ts';
import type { GatewaySchedule } from './create-schedule.ts';

export interface WayInOptions {
  readonly environment: Environment;
  readonly config: Config;
  /** The token that clients of this gateway need. Without it, the one that the operator chose. */
  readonly token?: string | undefined;
  readonly store: Store;
  readonly records: Pick<Records, 'hooks' | 'teller'>;
  readonly attachments: AttachmentStore;
  readonly route: BuiltDraftParts['route'];
  readonly delivery: GatewayDelivery;
  readonly commands: GatewayCommandPorts;
  readonly schedule: Pick<GatewaySchedule, 'toolJobs'>;
  readonly lanes: Pick<Lanes, 'wake'>;
  readonly waits: Pick<Waits, 'messageCame'>;
  /** The worker for all third-party code. */
  readonly worker: () => Promise<WorkerPlugins>;
  readonly processId: () => string | null;
  readonly now: () => number;
  readonly warn: Say;
}

export interface WayIn {
  readonly inbox: Inbox;
  readonly webhooks: Webhooks;
  readonly pairings: Pairings;
  readonly admission: Admission;
  readonly refusals: RefusalLog;
  /** What was said in groups since the agent was asked last. */
  readonly overheard: OverheardTalk;
}

export function createWayIn(options: WayInOptions): WayIn {
  const { environment, config, store, records, attachments, route, delivery, commands, now, warn } = options;
  const { tell } = records.teller;
  const lanes = {
    wake: (sessionKey: string) => {
      options.lanes.wake(sessionKey);
      options.waits.messageCame(sessionKey);
    },
  };
  const inbox = new Inbox({
    store,
    hooks: records.hooks,
    route,
    commands,
    delivery,
    tell,
    lanes,
    attachments,
    processId: options.processId,
    now,
  });
  const transforms = new WebhookTransforms({ environment, worker: options.worker, now, warn });
  const webhooks = new Webhooks({
    config,
    gatewayToken: options.token ?? configuredTokenOf(config, environment.variables),
    store,
    inbox,
    queueInjection: (request) => queueInjection({ store, now }, request),
    mainSessionKeyOf: options.schedule.toolJobs.mainSessionKeyOf,
    channels: () => delivery.channels.map(({ id }) => id),
    transform: (...asked) => transforms.run(...asked),
    now,
    warn,
  });
  const pairings = new Pairings({ store, delivery, route, now });
  const refusals = new RefusalLog({ warn, now });
  const overheard = new OverheardTalk((surface) => groupHistoryLimitOf(config, surface));
  const mentions = new MentionPatterns({ config, agentOf: (inbound) => route(inbound).agentId, warn });
  const admission = new Admission({
    inbox,
    pairings,
    refusals,
    overheard,
    expandGroups: (entries, channel) => expandAccessGroups(config, entries, channel),
    isCalled: (inbound) => mentions.match(inbound),
    attachments,
    now,
  });
  return { inbox, webhooks, pairings, admission, refusals, overheard };
}
