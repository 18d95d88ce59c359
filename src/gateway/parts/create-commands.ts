// Builds what chat commands may ask of the gateway.

import { readFrame } from '../../agent/request-frame.ts';
import type { RunParts } from '../../agent/run-parts.ts';
import type { Lanes } from '../../lanes/lanes.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { Store } from '../../store/store.ts';
import type { GatewayDelivery } from '../gateway-delivery.ts';
import { approveCommand } from '../inbound/approve-command.ts';
import { type CommandPortsParts, GatewayCommandPorts } from '../inbound/command-ports.ts';
import { subagentsCommand } from '../inbound/subagents-command.ts';
import { tellStop } from '../inbound/tell-stop.ts';
import type { Children } from '../services/children.ts';
import type { Services } from '../services/services.ts';
import type { SpendLimits } from '../spend-limits.ts';
import type { BuiltDraftParts } from './create-draft-parts.ts';
import type { GatewayPlugins } from './create-plugins.ts';
import type { BuiltSuspensions } from './create-suspensions.ts';

export interface CommandOptions extends Pick<CommandPortsParts, 'modelsOf' | 'timezone'> {
  readonly store: Store;
  readonly plugins: Pick<GatewayPlugins, 'commands'>;
  readonly drafting: Pick<BuiltDraftParts, 'models'>;
  readonly delivery: Pick<GatewayDelivery, 'channelOf'>;
  readonly runParts: RunParts;
  readonly lanes: Pick<Lanes, 'running'>;
  readonly suspending: BuiltSuspensions;
  readonly spendLimits: Pick<SpendLimits, 'settings'>;
  /** These are built later. */
  readonly children: () => Children;
  readonly sessions: () => Sessions;
  readonly services: () => Pick<Services, 'records'>;
  readonly now: () => number;
}

export function createCommands(options: CommandOptions): GatewayCommandPorts {
  const { store, plugins, delivery, runParts, lanes, spendLimits, modelsOf, timezone, now } = options;
  const { models } = options.drafting;
  const { approvals, suspensions } = options.suspending;
  const { people } = plugins.commands;
  return new GatewayCommandPorts({
    store,
    commands: plugins.commands,
    stop: (place, reason) => {
      void tellStop(runParts, place);
      return suspensions.stop(place.sessionKey, reason);
    },
    approve: (args, place) => approveCommand({ store, approvals, people, now }, args, place),
    subagents: (rest, place) => subagentsCommand(options.children(), rest, place),
    exportSession: (sessionKey) => options.services().records.exportSession({ sessionKey, isRedacted: true }),
    running: () => lanes.running,
    modelsOf,
    checkModel: (name, agentId) => models.checkNamed(name, agentId),
    allowedModels: (agentId) => models.allowedEntries(agentId),
    chooseModel: (place, model) => options.sessions().chooseModel(place, model),
    deliveryOf: (id) => {
      const guarantee = delivery.channelOf(id)?.guarantee;
      return guarantee && `${guarantee.level}: ${guarantee.because}`;
    },
    spend: () => spendLimits.settings,
    readFrame: (runId) => readFrame(runParts, runId),
    timezone,
    now,
  });
}
