// Replays with another model while no gateway runs: on the store itself, which this process owns until it closes it, so
// that what the model costs is counted there.
// Errors: as `openState` does, when another process owns the state directory.

import { withConfigVariables } from '../../../config/config-variables.ts';
import type { Environment } from '../../../config/environment.ts';
import { loadConfig } from '../../../config/load-config.ts';
import { parseModelRef } from '../../../config/model-choice.ts';
import { spendSettingsOf } from '../../../config/spend-limits.ts';
import { storePlaceOf } from '../../../config/store-place.ts';
import { resolveTimezone } from '../../../config/timezone.ts';
import { ModelRegistry } from '../../models/model-registry.ts';
import { createAttachments } from '../../parts/create-attachments.ts';
import { openState } from '../../parts/open-state.ts';
import { loadOtherConfig } from './load-other-config.ts';
import { ModelReplays, settleCutReplays } from './model-replays.ts';

export interface OpenedModelReplays {
  readonly replays: ModelReplays;
  close(): Promise<void>;
}

export async function openModelReplays(options: {
  readonly environment: Environment;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
}): Promise<OpenedModelReplays> {
  const { now, warn } = options;
  const loaded = await loadConfig({ environment: options.environment });
  const { config } = loaded;
  const environment = withConfigVariables(options.environment, loaded);
  const { store, lock } = await openState(environment, storePlaceOf(environment, config));
  await settleCutReplays(store);
  const attachments = createAttachments({ environment, config, store, now });
  const models = new ModelRegistry(config, environment, attachments, now);
  const spend = spendSettingsOf(config, resolveTimezone(config, environment));
  const replays = new ModelReplays({
    store,
    models,
    spend: () => spend,
    now,
    warn,
    // While no gateway runs, there is no listener to tell.
    tell: async () => [],
    model: async (name, agentId) => models.model(parseModelRef(name, config), agentId),
    otherConfig: (path) => loadOtherConfig(options.environment, path),
  });
  return {
    replays,
    close: async () => {
      await attachments.close();
      await store.close();
      await lock.release();
    },
  };
}
