// The first stage: the workspace's bootstrap files, as they are on disk.

import type { CompositionState, ContextFile, Stage } from '../composition.ts';
import { EMPTY_ROPE } from '../provenance/rope.ts';
import { type LoadedFile, loadWorkspaceFiles } from '../sources/workspace-files.ts';

export const loadFiles: Stage = {
  name: 'load',
  summary: 'read the workspace bootstrap files, in the order of the taxonomy',
  async run(state: CompositionState): Promise<CompositionState> {
    const { files, workspaceDir, taxonomy, policy } = state.input;
    const loaded = await loadWorkspaceFiles(files, workspaceDir, taxonomy, policy.allowedRoots);
    return { ...state, files: loaded.map(toContextFile) };
  },
};

function toContextFile({ name, path, read }: LoadedFile): ContextFile {
  if (read.kind === 'absent') {
    return {
      name,
      path,
      missing: true,
      rope: EMPTY_ROPE,
      content: undefined,
      absence: { reason: read.reason, detail: read.detail },
    };
  }
  const rope =
    read.text === ''
      ? EMPTY_ROPE
      : [{ text: read.text, origin: { kind: 'file' as const, path }, source: read, start: 0 }];
  return { name, path, missing: false, rope, content: read.text, realPath: read.realPath, source: read };
}
