// Models of xai, of 2026-11-02, from @earendil-works/pi-ai 1.5.0. Written by scripts/collect-models.ts.

import type { CatalogRow } from './catalog.ts';

// biome-ignore format: one line for each model.
export const MODELS: readonly CatalogRow[] = [
  ['grok-4.3',1000000,30000,'text image',1.25,2.5,0.2,-1,200001,2.5,5,0.4,-1],
  ['grok-4.5',500000,500000,'text image',2,6,0.3,-1,200001,4,12,0.6,-1],
  ['grok-4.6',500000,500000,'text image',2,6,0.5,-1,200001,4,12,1,-1],
  ['grok-4.7',500000,500000,'text image',2,6,0.5,-1,200001,4,12,1,-1],
];
