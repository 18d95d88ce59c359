// The settings that a running gateway takes up, as one of its parts. Code that reads a setting when it is needed has
// nothing to do; what was made from settings is made anew here. `live-config.ts` says which settings these are.

import { resolveAgentDefaults } from '../../config/agents.ts';
import type { Config } from '../../config/schema.ts';
import { maxConcurrentSubagents } from '../../config/subagent-settings.ts';
import type { HookRunner } from '../../hooks/runner.ts';
import type { Lanes } from '../../lanes/lanes.ts';
import type { GatewayPart } from '../gateway-part.ts';
import type { BuiltDraftParts } from '../parts/create-draft-parts.ts';
import type { GatewaySchedule } from '../parts/create-schedule.ts';
import { registerSendPolicy } from '../register-send-policy.ts';
import type { Workspaces } from '../workspaces.ts';
import { LIVE_SETTINGS, type LiveConfig, listWaitingSettings } from './live-config.ts';

export interface LiveSettingsParts {
  readonly liveConfig: LiveConfig;
  readonly hooks: HookRunner;
  readonly drafting: Pick<BuiltDraftParts, 'engine' | 'models'>;
  readonly workspaces: Workspaces;
  readonly lanes: Lanes;
  readonly schedule: GatewaySchedule;
}

export function liveSettings(parts: LiveSettingsParts): GatewayPart {
  const { liveConfig, hooks, workspaces, lanes, schedule } = parts;
  const { engine, models } = parts.drafting;
  const { config } = liveConfig;
  let forgetSendPolicy = () => {};
  return {
    name: 'the settings',
    reads: LIVE_SETTINGS,
    waits: listWaitingSettings,
    files: () => engine.handlerFiles(),
    open: () => {
      forgetSendPolicy = registerSendPolicy(hooks, config);
    },
    reopen: async (changed) => {
      const isOther = liveConfig.apply(changed.config);
      engine.apply(config);
      if (!isOther) return;
      models.forget();
      workspaces.prepareAll();
      const { limit, asideLimit } = laneLimitsOf(config);
      lanes.resize(limit, asideLimit);
      schedule.apply();
      forgetSendPolicy();
      forgetSendPolicy = registerSendPolicy(hooks, config);
    },
  };
}

/** How many sessions run at the same time, and how many of subagents, which take no slot of people's sessions. */
export function laneLimitsOf(config: Config): { readonly limit: number; readonly asideLimit: number } {
  return { limit: resolveAgentDefaults(config).maxConcurrent ?? 16, asideLimit: maxConcurrentSubagents(config) };
}
