// Counts the trajectories that have reached their limit. Their last line says so, and only files that are nearly as large as
// the limit are read, and of these the end.

import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { MAX_TRACE_EVENT_BYTES, MAX_TRACE_FILE_BYTES } from '../../recorder/trajectory.ts';

/** The line that says so is shorter, and the longest other record would have fitted into the rest. */
const TAIL_BYTES = 16 * 1024;
const MOST_FILES = 10_000;

export async function countFullTrajectories(
  dir: string,
  limit: number = MAX_TRACE_FILE_BYTES,
): Promise<{ readonly full: number; readonly limit: number }> {
  const names = (await readdir(dir).catch(() => [])).filter((name) => name.endsWith('.jsonl')).slice(0, MOST_FILES);
  let full = 0;
  for (const name of names) {
    const file = path.join(dir, name);
    const { size = 0 } = (await lstat(file).catch(() => undefined)) ?? {};
    if (size < limit - MAX_TRACE_EVENT_BYTES - TAIL_BYTES) continue;
    if (/"type":"trace\.truncated"/.test((await tailOf(file)).trimEnd().split('\n').at(-1) ?? '')) full++;
  }
  return { full, limit };
}

async function tailOf(file: string): Promise<string> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(file, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0)).catch(() => undefined);
  if (!handle) return '';
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead).toString('utf8');
  } catch {
    return '';
  } finally {
    await handle.close();
  }
}
