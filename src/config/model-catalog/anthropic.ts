// Models of anthropic, of 2026-11-02, from @earendil-works/pi-ai 1.5.0. Written by scripts/collect-models.ts.

import type { CatalogRow } from './catalog.ts';

// biome-ignore format: one line for each model.
export const MODELS: readonly CatalogRow[] = [
  ['claude-fable-5',1000000,128000,'text image',10,50,1,12.5],
  ['claude-fable-5-1',1000000,128000,'text image',10,50,0.25,12.5],
  ['claude-haiku-4-5',200000,64000,'text image',1,5,0.1,1.25],
  ['claude-haiku-4-5-20251001',200000,64000,'text image',1,5,0.1,1.25],
  ['claude-haiku-5-5',1000000,128000,'text image',0.1,0.5,0.01,0.125,100001,0.5,2.5,0.05,0.625],
  ['claude-opus-4-5',200000,64000,'text image',5,25,0.5,6.25],
  ['claude-opus-4-5-20251101',200000,64000,'text image',5,25,0.5,6.25],
  ['claude-opus-4-6',1000000,128000,'text image',5,25,0.5,6.25],
  ['claude-opus-4-7',1000000,128000,'text image',5,25,0.5,6.25],
  ['claude-opus-4-8',1000000,128000,'text image',5,25,0.5,6.25],
  ['claude-opus-5',1000000,128000,'text image',5,25,0.5,6.25],
  ['claude-opus-5-5',1000000,128000,'text image',4,20,0.2,5],
  ['claude-sonnet-4-5',200000,64000,'text image',3,15,0.3,3.75],
  ['claude-sonnet-4-5-20250929',200000,64000,'text image',3,15,0.3,3.75],
  ['claude-sonnet-4-6',1000000,128000,'text image',3,15,0.3,3.75],
  ['claude-sonnet-5',1000000,128000,'text image',2,10,0.2,2.5],
  ['claude-sonnet-5-5',1000000,128000,'text image',2,10,0.1,2.5],
];
