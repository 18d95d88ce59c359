// Loaded into a gateway with `--import`: it then gets its SQLite from `recording-sqlite.mjs`.

import { register } from 'node:module';

const recording = new URL('./recording-sqlite.mjs', import.meta.url).href;
const hook = `
export function resolve(specifier, context, next) {
  const isAsked = specifier === '@photostructure/sqlite' && context.parentURL !== ${JSON.stringify(recording)};
  return isAsked ? { url: ${JSON.stringify(recording)}, shortCircuit: true } : next(specifier, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
