// A copy of a build that keeps no requests, to measure what keeping them costs. No setting switches that off, because runs
// are taken up from their requests after a crash; so the functions that make these writes are emptied in the copy.
// Errors: when a build does not have one of them exactly once, because then it would measure nothing.

import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const EMPTIED = ['captureRequest', 'captureFrame', 'captureCall'];

/** Copies the build `dist` into `folder` and gives the copy's `dist`. */
export async function buildWithoutCaptures(dist, folder) {
  const copy = join(folder, 'dist');
  await mkdir(folder, { recursive: true });
  const [, build] = /builds\/([0-9a-f]+)\//.exec(await readFile(join(dist, 'cli', 'main.js'), 'utf8')) ?? [];
  if (build === undefined) throw new Error(`${dist} does not name its build.`);
  for (const part of ['cli', join('builds', build)]) await cp(join(dist, part), join(copy, part), { recursive: true });
  await cp(join(dirname(dist), 'package.json'), join(folder, 'package.json'));
  await symlink(join(dirname(dist), 'node_modules'), join(folder, 'node_modules'));
  const left = new Set(EMPTIED);
  for (const file of await filesIn(join(copy, 'builds', build))) {
    const text = await readFile(file, 'utf8');
    const emptied = text.replace(/^function (\w+)\([^\n]*\) \{$/gm, (head, name) =>
      EMPTIED.includes(name) && left.delete(name) ? `${head}\n\treturn [];` : head,
    );
    if (emptied !== text) await writeFile(file, emptied);
  }
  if (left.size > 0) throw new Error(`The build has no ${[...left].join(', ')}.`);
  return copy;
}

async function filesIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.name.endsWith('.js')).map(({ parentPath, name }) => join(parentPath, name));
}
