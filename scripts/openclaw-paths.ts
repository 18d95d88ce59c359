// The paths of OpenClaw's configuration as two files of conformance/ have them: names only, an indented tree, with `*` for
// any name and `[]` for any item of a list. The first file has the version of the seeds, the second what a newer version
// has besides.

import { readFileSync } from 'node:fs';

export const OPENCLAW_PATHS_FILE = new URL('../conformance/openclaw-config.txt', import.meta.url);
export const NEWER_PATHS_FILE = new URL('../conformance/openclaw-config-newer.txt', import.meta.url);

export interface OpenClawPaths {
  readonly version: string;
  readonly paths: readonly (readonly string[])[];
}

export function readOpenClawPaths(file = OPENCLAW_PATHS_FILE): OpenClawPaths {
  const [head = '', ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  const paths: string[][] = [];
  let above: string[] = [];
  for (const line of lines) {
    const text = line.trimStart();
    above = above.slice(0, line.length - text.length);
    const isBranch = text.endsWith(':');
    const names = isBranch ? [text.slice(0, -1)] : text.split(' ');
    for (const name of names) paths.push([...above, name]);
    if (isBranch) above = [...above, text.slice(0, -1)];
  }
  return { version: head.replace(/^# OpenClaw /, ''), paths };
}
