// Suite session-filter: which bootstrap files a session may see, by its key and through a whole composition.

import { filterBootstrapFilesForSession } from '../../src/context/stages/filter-files.ts';
import type { WorkspaceBootstrapFile } from '../../src/protocol/bootstrap-file.ts';
import type { SuiteAdapter } from '../adapter.ts';

export const sessionFilter: SuiteAdapter = {
  filterBootstrapFilesForSession: (input) => {
    const { files, sessionKey } = input as FilterInput;
    const entries = files.map((file) => (typeof file === 'string' ? presentFile(file) : file));
    const kept = filterBootstrapFilesForSession(entries, sessionKey);
    return files.some((file) => typeof file === 'string') ? kept.map(({ name }) => name) : kept;
  },
};

interface FilterInput {
  /** Names, or whole entries; the answer has the same form. */
  readonly files: readonly (string | WorkspaceBootstrapFile)[];
  readonly sessionKey?: string;
}

function presentFile(name: string): WorkspaceBootstrapFile {
  return { name, path: `/ws/${name}`, content: name, missing: false };
}
