// The paths of OpenClaw's configuration as conformance/openclaw-config.txt has them: names only, an indented tree, with
// `*` for any name and `[]` for any item of a list.

import { readFileSync } from 'node:fs';

export const OPENCLAW_PATHS_FILE = new URL('../conformance/openclaw-config.txt', import.meta.url);

export interface OpenClawPaths {
  readonly version: string;
  readonly paths: readonly (readonly string[])[];
}

export function readOpenClawPaths(): OpenClawPaths {
  const [head = '', ...lines] = readFileSync(OPENCLAW_PATHS_FILE, 'utf8').trimEnd().split('\n');
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
