// Models of fireworks, of 2026-11-02, from @earendil-works/pi-ai 1.5.0. Written by scripts/collect-models.ts.

import type { CatalogRow } from './catalog.ts';

// biome-ignore format: one line for each model.
export const MODELS: readonly CatalogRow[] = [
  ['accounts/fireworks/models/deepseek-v4p1-flash',1000000,384000,'text image',0.3,1.2,0.006,-1],
  ['accounts/fireworks/models/deepseek-v4p1-flash-1017',1000000,384000,'text image',0.3,1.2,0.006,-1],
  ['accounts/fireworks/models/ember-1',1048576,131072,'text image',3,15,0.3,-1],
  ['accounts/fireworks/models/glm-5p3',1048573,262144,'text',1.4,4.4,0.26,-1],
  ['accounts/fireworks/models/glm-5p3-flash',1048573,131072,'text image',0.15,0.5,0.03,-1],
  ['accounts/fireworks/models/gpt-oss-120b',131072,32768,'text',0.15,0.6,0.015,-1],
  ['accounts/fireworks/models/inkling',1048576,1048576,'text image',1,4.05,0.17,-1],
  ['accounts/fireworks/models/kimi-k3',1048576,131072,'text image',3,15,0.3,-1],
  ['accounts/fireworks/models/minimax-m3',512000,512000,'text',0.3,1.2,0.06,-1],
  ['accounts/fireworks/models/minimax-m3p1-flash',1000000,512000,'text image',0.15,0.6,0.015,-1],
  ['accounts/fireworks/models/muse-spark-open',1048576,131072,'text image',1.25,4.25,0.15,-1],
  ['accounts/fireworks/models/nemotron-3-ultra-nvfp4',262144,128000,'text',0.6,2.4,0.12,-1],
  ['accounts/fireworks/models/nemotron-lightning-3p5-30b-a3b',262144,262144,'text',0.05,0.2,0.01,-1],
  ['accounts/fireworks/models/qwen3p8-2p4t-a95b',262144,131072,'text',2,6,0.25,-1],
  ['accounts/fireworks/models/qwen3p8-max',262144,131072,'text image',2,6,0.25,-1],
  ['accounts/fireworks/routers/deepseek-flash-latest',1000000,384000,'text image',0.3,1.2,0.006,-1],
  ['accounts/fireworks/routers/deepseek-v4p1-flash-1017-spot',1000000,384000,'text image',0.21,0.84,0.0042,-1],
  ['accounts/fireworks/routers/deepseek-v4p1-flash-spot',1000000,384000,'text image',0.21,0.84,0.0042,-1],
  ['accounts/fireworks/routers/glm-5p3-fast',1048572,262144,'text',2.1,6.6,0.39,-1],
  ['accounts/fireworks/routers/glm-5p3-spot',1048573,262144,'text',0.98,3.08,0.182,-1],
  ['accounts/fireworks/routers/glm-fast-latest',1048572,262144,'text',2.1,6.6,0.39,-1],
  ['accounts/fireworks/routers/glm-flash-latest',1048573,131072,'text image',0.15,0.5,0.03,-1],
  ['accounts/fireworks/routers/glm-latest',1048573,262144,'text',1.4,4.4,0.26,-1],
  ['accounts/fireworks/routers/kimi-fast-latest',1048576,131072,'text image',4.5,22.5,0.45,-1],
  ['accounts/fireworks/routers/kimi-k3-fast',1048576,131072,'text image',4.5,22.5,0.45,-1],
  ['accounts/fireworks/routers/kimi-k3-spot',1048576,131072,'text image',2.1,10.5,0.21,-1],
  ['accounts/fireworks/routers/kimi-latest',1048576,131072,'text image',3,15,0.3,-1],
  ['accounts/fireworks/routers/minimax-latest',512000,512000,'text',0.3,1.2,0.06,-1],
  ['accounts/fireworks/routers/qwen-max-latest',262144,131072,'text image',2,6,0.25,-1],
];
