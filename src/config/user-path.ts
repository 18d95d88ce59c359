// Makes a path absolute that a person wrote in a configuration or on a command line. It expands no variables and does
// not look at the disk.

import path from 'node:path';
import { expandTilde, resolveHomeDir } from './home-dir.ts';

/** A leading `~` is the home directory, and any other relative path is relative to `cwd`. Blank text stays blank. */
export function resolveUserPath(input: string, home?: string, cwd: string = process.cwd()): string {
  const trimmed = input.trim();
  if (trimmed === '') return '';
  return path.resolve(cwd, expandTilde(trimmed, home ?? resolveHomeDir()));
}
