// The folder of the product, which is above this file both in the sources and in a build. Folders of a build have a
// package.json too; the examples are only there.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export function productFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'examples')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}
