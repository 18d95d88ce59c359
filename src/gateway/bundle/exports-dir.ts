// Where bundles are made unless a person names another folder.

import path from 'node:path';

export function exportsDir(stateDir: string): string {
  return path.join(stateDir, 'exports');
}
