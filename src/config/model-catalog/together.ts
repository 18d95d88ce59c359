// Models of together, of 2026-11-02, from @earendil-works/pi-ai 1.5.0. Written by scripts/collect-models.ts.

import type { CatalogRow } from './catalog.ts';

// biome-ignore format: one line for each model.
export const MODELS: readonly CatalogRow[] = [
  ['MiniMaxAI/MiniMax-M3',524288,524288,'text image',0.3,1.2,0.06,-1],
  ['Qwen/Qwen3.5-9B',262144,65536,'text image',0.17,0.25,-1,-1],
  ['Qwen/Qwen3.6-Plus',1000000,65536,'text',0.5,3,-1,-1],
  ['Qwen/Qwen3.7-Max',1000000,131072,'text',2.5,7.5,0.5,-1],
  ['deepseek-ai/DeepSeek-V4-Pro-0813',1048576,384000,'text',1.32,3.96,0.13,-1],
  ['deepseek-ai/DeepSeek-V4.1-Flash',1048576,384000,'text image',0.3,1.2,0.006,-1],
  ['meta-models/Muse-Spark-Open-816B-A42B',1048576,131072,'text image',1.25,4.25,0.15,-1],
  ['moonshotai/Kimi-K3',1048576,131072,'text image',3,15,0.3,-1],
  ['nvidia/NVIDIA-Nemotron-3.5-Super-VL',262144,262144,'text image',0.15,0.5,0.02,-1],
  ['openai/gpt-oss-120b',131072,131072,'text',0.15,0.6,-1,-1],
  ['reflection/Beam-1.0-501B-A23B',1048576,131072,'text',0.4,1.2,0.04,-1],
  ['thinkingmachines/Inkling',524288,131072,'text image',1,4.05,0.17,-1],
  ['zai-org/GLM-5.2',1048575,164000,'text',1.4,4.4,0.26,-1],
  ['zai-org/GLM-5.3',1048575,262144,'text',1.4,4.4,0.26,-1],
  ['zai-org/GLM-5.3-Flash',1048575,400000,'text image',0.15,0.5,0.03,-1],
];
