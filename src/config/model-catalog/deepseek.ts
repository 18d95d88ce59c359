// Models of deepseek, of 2026-11-02, from @earendil-works/pi-ai 1.5.0. Written by scripts/collect-models.ts.

import type { CatalogRow } from './catalog.ts';

// biome-ignore format: one line for each model.
export const MODELS: readonly CatalogRow[] = [
  ['deepseek-flash',1000000,384000,'text image',0.3,1.2,0.006,-1],
  ['deepseek-v4-pro',1000000,384000,'text',1.32,3.96,0.044,-1],
];
