// The prices of a model: those of the configuration, else those of the catalog.

import type { ModelPrices } from '../protocol/model-prices.ts';
import { resolveModelFacts } from './model-facts.ts';
import { configuredModels } from './model-provider.ts';
import type { Config } from './schema.ts';

/** Undefined when they are not known. */
export async function modelPrices(config: Config, provider: string, model: string): Promise<ModelPrices | undefined> {
  const models = configuredModels(config, provider);
  return (await resolveModelFacts({ name: provider, models }, model)).cost;
}
