// Makes a folder that only its owner can use, and those above it that are missing. It goes folder by folder, because
// Node's own way (`recursive`) never returns where no folder can be made, such as in /proc.
// Errors: throws the system's error when a folder cannot be made.

import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

export function makeFolder(dir: string): void {
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    const parent = path.dirname(dir);
    if (code !== 'ENOENT' || parent === dir || existsSync(parent)) throw error;
    makeFolder(parent);
    mkdirSync(dir, { mode: 0o700 });
  }
}
