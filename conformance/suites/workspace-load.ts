// Suite workspace-load: bootstrap files read from real trees, with links, odd bytes and files that are too large.

import { mkdir, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { resolveUserPath } from '../../src/config/user-path.ts';
import { loadExtraBootstrapFiles } from '../../src/context/handlers/bootstrap-extra-files/load-extra-files.ts';
import { CachedFileSource } from '../../src/context/sources/file-source.ts';
import { loadWorkspaceBootstrapFiles } from '../../src/context/sources/workspace-files.ts';
import type { WorkspaceBootstrapFile } from '../../src/protocol/bootstrap-file.ts';
import type { SuiteAdapter } from '../adapter.ts';
import { type ScratchTree, type TreeSpec, withScratchTree } from '../scratch-tree.ts';
import { TextFacts } from '../text-facts.ts';

export const workspaceLoad: SuiteAdapter = {
  loadWorkspaceBootstrapFiles: (input) => load(input as LoadInput),
  loadExtraBootstrapFilesWithDiagnostics: (input) => loadExtra(input as ExtraInput),
};

interface LoadInput {
  /** Null when the workspace does not exist. */
  readonly workspace: TreeSpec | null;
  readonly outside?: TreeSpec;
  readonly dir?: string;
  readonly rootIsSymlink?: boolean;
}

function load(input: LoadInput): Promise<unknown> {
  return inWorkspace(input, async (scratch) => {
    const dir = resolveUserPath(scratch.toReal(input.dir ?? '$WS'), scratch.path('$HOME'));
    const files = await loadWorkspaceBootstrapFiles(dir);
    return files.map((file) => describeFile(scratch, file));
  });
}

interface ExtraInput extends LoadInput {
  readonly patterns: readonly string[];
}

function loadExtra(input: ExtraInput): Promise<unknown> {
  return inWorkspace(input, async (scratch) => {
    const source = new CachedFileSource();
    const found = await loadExtraBootstrapFiles(source, scratch.path('$WS'), scratch.toReal(input.patterns));
    return {
      files: found.files.map((file) => describeFile(scratch, file)),
      // Why a file could not be read is told in the words of the machine, so only the other details were recorded.
      diagnostics: found.diagnostics.map(({ path, reason, detail }) => ({
        path: scratch.toPlaceholders(path),
        reason,
        ...(reason === 'invalid-bootstrap-filename' ? { detail } : {}),
      })),
    };
  });
}

/** The workspace and its neighbours as the case describes them; the home of every case holds one workspace of its own. */
export function inWorkspace<T>(
  { workspace, outside = {}, rootIsSymlink = false }: LoadInput,
  use: (scratch: ScratchTree) => Promise<T>,
): Promise<T> {
  const places = { $WS: 'tree/ws', $OUT: 'tree/out', $REAL: 'tree/real', $PARENT: 'tree', $HOME: 'home' };
  return withScratchTree(places, async (scratch) => {
    await scratch.write(scratch.path('$HOME'), { 'wsx/AGENTS.md': 'home' });
    await scratch.write(scratch.path('$OUT'), outside);
    if (workspace) await scratch.write(scratch.path(rootIsSymlink ? '$REAL' : '$WS'), workspace);
    if (rootIsSymlink) {
      await mkdir(dirname(scratch.path('$WS')), { recursive: true });
      await symlink(scratch.path('$REAL'), scratch.path('$WS'));
    }
    return use(scratch);
  });
}

function describeFile(scratch: ScratchTree, { name, path, content, missing }: WorkspaceBootstrapFile): unknown {
  const text = content === undefined ? {} : { content: new TextFacts(content) };
  return { name, path: scratch.toPlaceholders(path), missing, ...text };
}
