// Models of google, of 2026-11-02, from @earendil-works/pi-ai 1.5.0. Written by scripts/collect-models.ts.

import type { CatalogRow } from './catalog.ts';

// biome-ignore format: one line for each model.
export const MODELS: readonly CatalogRow[] = [
  ['deep-research-max-preview-04-2026',131072,65536,'text image',2,12,0.2,-1,200001,4,18,0.4,-1],
  ['deep-research-preview-04-2026',131072,65536,'text image',2,12,0.2,-1,200001,4,18,0.4,-1],
  ['gemini-2.5-computer-use-preview-10-2025',128000,64000,'text image',1.25,10,-1,-1,200001,2.5,15,-1,-1],
  ['gemini-2.5-flash',1048576,65536,'text image',0.3,2.5,0.03,-1],
  ['gemini-2.5-flash-lite',1048576,65536,'text image',0.1,0.4,0.01,-1],
  ['gemini-2.5-pro',1048576,65536,'text image',1.25,10,0.125,-1,200001,2.5,15,0.25,-1],
  ['gemini-3-flash-preview',1048576,65536,'text image',0.5,3,0.05,-1],
  ['gemini-3.1-flash-lite',1048576,65536,'text image',0.25,1.5,0.025,-1],
  ['gemini-3.1-flash-lite-preview',1048576,65536,'text image',0.25,1.5,0.025,-1],
  ['gemini-3.1-pro-preview',1048576,65536,'text image',2,12,0.2,-1,200001,4,18,0.4,-1],
  ['gemini-3.1-pro-preview-customtools',1048576,65536,'text image',2,12,0.2,-1,200001,4,18,0.4,-1],
  ['gemini-3.5-flash',1048576,65536,'text image',1.5,9,0.15,-1],
  ['gemini-3.5-flash-lite',1048576,65536,'text image',0.3,2.5,0.03,-1],
  ['gemini-3.6-flash',1048576,65536,'text image',0.75,3.75,0.075,-1],
  ['gemini-3.7-flash',1048576,65536,'text image',0.75,3.75,0.075,-1],
  ['gemini-3.8-flash',1048576,65536,'text image',0.75,3.75,0.075,-1],
  ['gemini-4-argon',1048576,32768,'text image',2,10,0.1,-1],
  ['gemini-flash-latest',1048576,65536,'text image',1.5,9,0.15,-1],
  ['gemini-flash-lite-latest',1048576,65536,'text image',0.25,1.5,0.025,-1],
  ['gemini-pro-latest',1048576,65536,'text image',2,12,0.2,-1,200001,4,18,0.4,-1],
  ['gemini-robotics-er-2-preview',131072,65536,'text image',1,5,0.1,-1],
  ['gemma-4-26b-a4b-it',262144,32768,'text image'],
  ['gemma-4-31b-it',262144,32768,'text image'],
];
