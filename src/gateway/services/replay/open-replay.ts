// Replays on the store of a home, opened for reading, with or without a running gateway. Nothing is written and no code of
// plugins, handlers or tools is loaded, and no model is asked.

import { withConfigVariables } from '../../../config/config-variables.ts';
import type { Environment } from '../../../config/environment.ts';
import { loadConfig } from '../../../config/load-config.ts';
import { modelPrices } from '../../../config/model-prices.ts';
import { storePlaceOf } from '../../../config/store-place.ts';
import type { ModelPrices } from '../../../protocol/model-prices.ts';
import type { Store } from '../../../store/store.ts';
import { openForReading } from '../../composer/open-for-reading.ts';
import { loadOtherConfig } from './load-other-config.ts';
import type { OtherConfig } from './replay-changes.ts';

export interface OpenedReplay {
  readonly store: Store;
  /** The configuration of a file, for replays with other settings. */
  otherConfig(path: string): Promise<OtherConfig>;
  pricesOf(provider: string, model: string): Promise<ModelPrices | undefined>;
  close(): Promise<void>;
}

export async function openReplay(options: { readonly environment: Environment }): Promise<OpenedReplay> {
  const loaded = await loadConfig({ environment: options.environment });
  const { config } = loaded;
  const environment = withConfigVariables(options.environment, loaded);
  const store = await openForReading(storePlaceOf(environment, config));
  return {
    store,
    otherConfig: (path) => loadOtherConfig(options.environment, path),
    pricesOf: (provider, model) => modelPrices(config, provider, model),
    close: () => store.close(),
  };
}
