// Finds out from the end of a session file whether the conversation already contains the bootstrap context, so that a
// continued conversation need not send it again. It never throws: a file that cannot be read counts as empty.

import { openRegularFile } from './open-regular-file.ts';

/** The record that a run appends after the model has read the whole bootstrap context. */
export const FULL_BOOTSTRAP_MARKER = 'openclaw:bootstrap-context:full';

const MAX_TAIL_BYTES = 256 * 1024;
const MAX_RECORDS = 500;

/** A compaction after the marker has replaced the context by a summary, so the marker no longer counts. */
export async function hasCompletedBootstrapTurn(sessionFile: string): Promise<boolean> {
  const lines = (await readTailLines(sessionFile).catch(() => [])).slice(-MAX_RECORDS);
  for (const line of lines.reverse()) {
    const record = parseRecord(line);
    if (record.type === 'compaction') return false;
    if (record.type === 'custom' && record.customType === FULL_BOOTSTRAP_MARKER) return true;
  }
  return false;
}

async function readTailLines(path: string): Promise<string[]> {
  const handle = await openRegularFile(path);
  if (handle === undefined) return [];
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - MAX_TAIL_BYTES);
    const tail = Buffer.alloc(size - start);
    const { bytesRead } = await handle.read(tail, 0, tail.length, start);
    const lines = tail.toString('utf8', 0, bytesRead).split('\n');
    // The text before the first line break may be the end of a longer record.
    if (start > 0) lines.shift();
    return lines.filter((line) => line.trim() !== '');
  } finally {
    await handle.close();
  }
}

function parseRecord(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
