// What is known about one model: the configuration counts first, then what the
// provider has said, then the catalog, then what all models of its family have
// in common. Prices come from the configuration or the catalog, and are never guessed; the catalog's have a date.

import type { LearnedModels } from './learned-models.ts';
import { findInCatalog } from './model-catalog/catalog.ts';
import { CATALOG_DATE } from './model-catalog/catalog-source.ts';
import { contextWindowOf, type ProviderModel, type ProviderSettings, takesImages } from './model-provider.ts';

export interface ModelFacts {
  readonly contextWindow: number | undefined;
  /** The most tokens of one answer. */
  readonly maxTokens: number | undefined;
  readonly takesImages: boolean;
  /** The prices in dollars for a million tokens; undefined when they are not known. */
  readonly cost: ProviderModel['cost'];
  /** The day of prices that come from the catalog. Prices of the configuration have none. */
  readonly priceDate?: string | undefined;
}

/** `learned` is what providers have said in their own lists. */
export async function resolveModelFacts(
  settings: Pick<ProviderSettings, 'name' | 'models'>,
  model: string,
  learned: LearnedModels = {},
): Promise<ModelFacts> {
  const configured = settings.models.find(({ id }) => id === model);
  const listed = await findInCatalog(settings.name, model);
  const told = learned[settings.name]?.models.find(({ id }) => id === model);
  const isPriced = configured?.cost === undefined && listed?.cost !== undefined;
  return {
    contextWindow:
      configured?.contextWindow ?? told?.contextWindow ?? listed?.contextWindow ?? contextWindowOf(settings, model),
    maxTokens: configured?.maxTokens ?? told?.maxTokens ?? listed?.maxTokens,
    takesImages:
      configured?.input === undefined && listed ? listed.input.includes('image') : takesImages(settings, model),
    cost: configured?.cost ?? listed?.cost,
    ...(isPriced && { priceDate: CATALOG_DATE }),
  };
}
