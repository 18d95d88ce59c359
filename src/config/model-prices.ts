// The prices of a model, where the configuration gives them.

import { configuredModels, type ProviderModel } from './model-provider.ts';
import type { Config } from './schema.ts';

/** Per million tokens; undefined when they are not known. A provider that is not configured any more has none. */
export function modelPrices(config: Config, provider: string, model: string): ProviderModel['cost'] {
  return configuredModels(config, provider).find(({ id }) => id === model)?.cost;
}
