// Builds what `status` reads: the counters, and the list of everything that can warn the operator.

import { listAccessGroupProblems } from '../../config/access-groups.ts';
import { listOwnerProblems } from '../../config/owners.ts';
import type { Config } from '../../config/schema.ts';
import type { GatewayDelivery } from '../gateway-delivery.ts';
import { listAgentStatuses, type StatusParts } from '../services/gateway-status.ts';
import type { ConfigWatch } from '../settings/config-watch.ts';
import type { BuiltDraftParts } from './create-draft-parts.ts';
import type { GatewayPlugins } from './create-plugins.ts';
import type { Records } from './create-records.ts';
import type { GatewaySchedule } from './create-schedule.ts';
import type { WayIn } from './create-way-in.ts';

/** A part that can tell what is wrong with it, one sentence for each trouble. */
interface Warns {
  readonly warnings: readonly string[];
}

export interface StatusOptions
  extends Pick<StatusParts, 'store' | 'lanes' | 'sizes' | 'url' | 'stateDir' | 'startedAt'> {
  readonly config: Config;
  readonly drafting: BuiltDraftParts;
  readonly records: Pick<Records, 'debugSwitches' | 'handlerTroubles' | 'files' | 'trajectoryDir' | 'isTrajectoryOn'>;
  readonly schedule: Pick<GatewaySchedule, 'jobs'>;
  readonly delivery: Pick<GatewayDelivery, 'channels'>;
  readonly wayIn: Pick<WayIn, 'refusals' | 'webhooks'>;
  readonly plugins: Pick<GatewayPlugins, 'troubles'>;
  readonly modelsOf: (agentId: string) => readonly string[];
  readonly storeWatch: Warns;
  readonly telemetry: { readonly problems: readonly string[] };
  readonly spendLimits: Warns;
  readonly configWatch: Pick<ConfigWatch, 'warnings' | 'changedSinceStart' | 'current'>;
  readonly connection: { readonly settings: Warns };
  readonly mcp: Warns;
  readonly platforms: { readonly problems: readonly string[] };
  readonly handlers: { readonly inline: readonly string[] };
  readonly workspaces: Warns;
  readonly chatRecords: Warns;
  readonly runTroubles: Warns;
  readonly contextWarnings: Warns;
  readonly now: () => number;
}

export function createStatusParts(options: StatusOptions): StatusParts {
  const { config, configWatch, drafting, records, schedule, delivery, wayIn, modelsOf } = options;
  const { engine, models, exec } = drafting;
  return {
    store: options.store,
    lanes: options.lanes,
    sizes: options.sizes,
    url: options.url,
    stateDir: options.stateDir,
    startedAt: options.startedAt,
    now: options.now,
    jobs: schedule.jobs,
    channels: () => delivery.channels,
    agents: () => listAgentStatuses(config, (agentId) => engine.workspaceDirOf(agentId), modelsOf),
    refused: () => wayIn.refusals.count,
    changedSinceStart: () => configWatch.changedSinceStart(),
    unused: () => configWatch.current.unused,
    keys: () => configWatch.current.keys,
    debug: () => records.debugSwitches.list(),
    trajectory: { isOn: records.isTrajectoryOn, dir: records.trajectoryDir },
    warnings: () => [
      ...options.storeWatch.warnings,
      ...options.telemetry.problems,
      // Limits and webhooks say themselves what is odd about them.
      ...configWatch.current.warnings
        .filter(({ path }) => !/^(limits\.spend|hooks\.)/.test(path))
        .map(({ message }) => message),
      ...options.spendLimits.warnings,
      ...wayIn.webhooks.problems,
      ...options.configWatch.warnings(),
      ...options.connection.settings.warnings,
      ...models.problems(),
      ...exec.problems(),
      ...drafting.toolWarnings(),
      ...listAccessGroupProblems(config),
      ...listOwnerProblems(config),
      ...options.mcp.warnings,
      ...options.platforms.problems,
      ...options.plugins.troubles(),
      ...options.handlers.inline,
      ...options.workspaces.warnings,
      ...options.chatRecords.warnings,
      ...records.files.warnings,
      ...records.handlerTroubles.warnings,
      ...options.runTroubles.warnings,
      ...options.contextWarnings.warnings,
    ],
  };
}
