// A path as a person writes it in a configuration or on a command line, made absolute. Variables are not expanded, and
// nothing is looked up on the disk.

import path from 'node:path';
import { expandTilde, resolveHomeDir } from './home-dir.ts';

/** Absolute form of `input`: a leading `~` is the home directory, anything else relative is relative to `cwd`. Blank stays blank. */
export function resolveUserPath(input: string, home?: string, cwd: string = process.cwd()): string {
  const trimmed = input.trim();
  if (trimmed === '') return '';
  return path.resolve(cwd, expandTilde(trimmed, home ?? resolveHomeDir()));
}
