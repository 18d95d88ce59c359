// Where the worker's program is: the built file beside the rest of the product, or, from source, the same file read by
// jiti, because a worker cannot read TypeScript on every Node.

import { existsSync } from 'node:fs';

export interface WorkerProgram {
  readonly program: URL | string;
  /** The text of a program rather than its place. */
  readonly isText: boolean;
}

export function findWorkerProgram(here = import.meta.url): WorkerProgram {
  if (here.endsWith('.ts')) return { program: readingSource(here), isText: true };
  const built = ['./plugin-worker.js', '../plugins/isolation/plugin-worker.js'].map((path) => new URL(path, here));
  const program = built.find((place) => existsSync(place)) ?? new URL('../plugins/isolation/plugin-worker.js', here);
  return { program, isText: false };
}

function readingSource(here: string): string {
  const [from, source] = [here, new URL('./plugin-worker.ts', here).href].map((place) => JSON.stringify(place));
  return `
    const { createJiti } = require('node:module').createRequire(${from})('jiti');
    createJiti(${from}).import(${source});
  `;
}
