// The hash of a plugin's files, to notice that they are not what they were. Undefined when it cannot be computed.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FoundPlugin } from './discover-plugins.ts';

export async function integrityOf({ isSingleFile, entryPath, rootDir }: FoundPlugin): Promise<string | undefined> {
  try {
    if (isSingleFile && entryPath !== null) {
      return `sha256-${createHash('sha256')
        .update(await readFile(entryPath))
        .digest('base64')}`;
    }
    const { hashPluginFolder } = await import('../install/hash-plugin-folder.ts');
    return await hashPluginFolder(rootDir);
  } catch {
    return undefined;
  }
}
