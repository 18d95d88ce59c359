// A name that a workspace carries in its hidden folder. Two machines that find the same one have the same folder before them.

import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns undefined where nothing can be read or written. */
export async function ensureWorkspaceId(dir: string): Promise<string | undefined> {
  const file = join(dir, '.openclaw', 'workspace-id');
  const known = await readId(file);
  if (known !== undefined) return known;
  try {
    await mkdir(join(dir, '.openclaw'), { recursive: true });
    const id = randomBytes(12).toString('hex');
    await writeFile(file, `${id}\n`, { flag: 'wx' });
    return id;
  } catch {
    // Another node may have written it in this moment.
    return readId(file);
  }
}

async function readId(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return /^[0-9a-f]{24}$/.test(text.trim()) ? text.trim() : undefined;
}
