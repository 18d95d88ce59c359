// Models of groq, of 2026-11-02, from @earendil-works/pi-ai 1.5.0. Written by scripts/collect-models.ts.

import type { CatalogRow } from './catalog.ts';

// biome-ignore format: one line for each model.
export const MODELS: readonly CatalogRow[] = [
  ['llama-3.1-8b-instant',131072,131072,'text',0.05,0.08,-1,-1],
  ['llama-3.3-70b-versatile',131072,32768,'text',0.59,0.79,-1,-1],
  ['openai/gpt-oss-120b',131072,65536,'text',0.15,0.6,0.075,-1],
  ['openai/gpt-oss-20b',131072,65536,'text',0.075,0.3,0.0375,-1],
  ['openai/gpt-oss-safeguard-20b',131072,65536,'text',0.075,0.3,0.0375,-1],
  ['qwen/qwen3.6-27b',131072,16384,'text image',0.6,3,0.3,-1],
  ['qwen/qwen3.8-27b',131072,16384,'text image',0.8,4,-1,-1],
];
