// One hash of everything that a package brought: the sorted paths and contents of its files. Of `node_modules` only
// npm's list of what it put there counts, which has a hash of each package: enough to notice another version, and quick
// enough to look at every start. A file of a dependency that was changed by hand is not noticed.

import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** The hash has the form of subresource integrity. Rejects when the folder cannot be read. */
export async function hashPluginFolder(dir: string): Promise<string> {
  const hash = createHash('sha256');
  for (const path of (await filesIn(dir, '')).sort()) await addFile(hash, dir, path);
  return `sha256-${hash.digest('base64')}`;
}

const MODULES = 'node_modules';
const LIST_OF_MODULES = `${MODULES}/.package-lock.json`;

async function filesIn(root: string, prefix: string): Promise<string[]> {
  const entries = await readdir(join(root, prefix), { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = prefix + entry.name;
      if (path === MODULES)
        return (await lstat(join(root, LIST_OF_MODULES)).catch(() => undefined)) ? [LIST_OF_MODULES] : [];
      return entry.isDirectory() ? filesIn(root, `${path}/`) : [path];
    }),
  );
  return found.flat();
}

/** Each length is written before its content, so that two different trees never give the same bytes. */
async function addFile(hash: Hash, root: string, path: string): Promise<void> {
  const entry = await lstat(join(root, path));
  const add = (kind: string, bytes: number) => hash.update(`${kind} ${Buffer.byteLength(path)} ${path} ${bytes}\n`);
  if (entry.isSymbolicLink()) {
    const target = await readlink(join(root, path));
    add('link', Buffer.byteLength(target)).update(target);
  } else if (entry.isFile()) {
    add('file', entry.size);
    for await (const chunk of createReadStream(join(root, path))) hash.update(chunk as Buffer);
  } else add('other', 0);
}
