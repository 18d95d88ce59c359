// How many files and connections this process may have open at once. Node has raised the limit as far as it may.

import { readFile } from 'node:fs/promises';

/** With fewer, a gateway would break in the middle of its work. */
export const LEAST_OPEN_FILES = 256;

/** Undefined where there is no limit, or where the system does not say. */
export async function readOpenFileLimit(): Promise<number | undefined> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, soft] = /^Max open files +(\d+) /m.exec(limits) ?? [];
  return soft === undefined ? undefined : Number(soft);
}
