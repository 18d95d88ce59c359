// Where a worker finds a program of the product: beside the module that asks, or, when the product is built, under the
// place that its source has, because the module that asks may have become part of a chunk.

import { existsSync } from 'node:fs';
import { basename } from 'node:path';

/** `here` is the URL of the module that asks, `path` the source below `src/`, which stands beside it, without its ending. */
export function findProgram(here: string, path: string): URL {
  const name = basename(path);
  if (here.endsWith('.ts')) return new URL(`./${name}.ts`, here);
  const built = [`./${name}.js`, `../${path}.js`].map((place) => new URL(place, here));
  return built.find((place) => existsSync(place)) ?? new URL(`../${path}.js`, here);
}
