// Replays on the store of a home, opened for reading, with or without a running gateway. Nothing is written and no code of
// plugins, handlers or tools is loaded; a model is asked only when one is named.

import { dirname } from 'node:path';
import { withConfigVariables } from '../../../config/config-variables.ts';
import type { Environment } from '../../../config/environment.ts';
import { loadConfig } from '../../../config/load-config.ts';
import { parseModelRef } from '../../../config/model-choice.ts';
import { modelPrices } from '../../../config/model-prices.ts';
import type { ModelPrices } from '../../../models/cost-of.ts';
import type { Model } from '../../../models/model.ts';
import type { Store } from '../../../store/store.ts';
import { openForReading } from '../../composer/open-for-reading.ts';
import { createAttachments } from '../../create-attachments.ts';
import { ModelRegistry } from '../../model-registry.ts';
import type { OtherConfig } from './replay-changes.ts';

export interface OpenedReplay {
  readonly store: Store;
  /** The configuration of a file, for replays with other settings. */
  otherConfig(path: string): Promise<OtherConfig>;
  pricesOf(provider: string, model: string): ModelPrices | undefined;
  /** Whether `limits.spend` has limits. What a replay spends is not counted there. */
  readonly hasSpendLimits: boolean;
  /** Rejects with an AtriumError when there is no such model, or no key for it. */
  model(name: string): Promise<Model>;
  close(): Promise<void>;
}

export async function openReplay(options: {
  readonly environment: Environment;
  readonly now: () => number;
}): Promise<OpenedReplay> {
  const { now } = options;
  const loaded = await loadConfig({ environment: options.environment });
  const { config } = loaded;
  const environment = withConfigVariables(options.environment, loaded);
  const store = await openForReading(environment);
  const attachments = createAttachments({ environment, config, store, now });
  const models = new ModelRegistry(config, environment, attachments);
  return {
    store,
    otherConfig: async (path) => {
      const other = await loadConfig({ environment: options.environment, configPath: path });
      return { config: other.config, configDir: dirname(other.files.at(-1)?.path ?? path), environment };
    },
    pricesOf: (provider, model) => modelPrices(config, provider, model),
    hasSpendLimits: (config.limits?.spend ?? []).length > 0,
    model: async (name) => models.model(parseModelRef(name, config)),
    close: () => store.close(),
  };
}
