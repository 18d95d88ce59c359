// The first stage, and the only one that reads the workspace: the bootstrap files as they are on disk, the skills that
// exist, and whether the first run is over.

import type { Absence, CompositionState, ContextFile, Stage } from '../composition.ts';
import { WorkspaceNotFoundError } from '../errors.ts';
import { EMPTY_ROPE } from '../provenance/rope.ts';
import { whyAbsent } from '../sources/file-source.ts';
import { type LoadedFile, loadWorkspaceFiles } from '../sources/workspace-files.ts';

export const loadFiles: Stage = {
  name: 'load',
  summary: 'read the workspace bootstrap files, in the order of the taxonomy',
  async run(state: CompositionState): Promise<CompositionState> {
    const { files, workspaceDir, taxonomy, gather } = state.input;
    const [loaded, { skills, refused }, firstRunComplete] = await Promise.all([
      loadWorkspaceFiles(files, workspaceDir, taxonomy),
      gather.skills(files),
      gather.firstRunComplete(files),
    ]);
    // This is checked only when no file was found: a workspace that has files exists.
    if (loaded.every(({ read }) => read.kind === 'absent') && !(await files.isDirectory(workspaceDir))) {
      throw new WorkspaceNotFoundError({ dir: workspaceDir });
    }
    const absences = refused.map(({ path, ...why }): Absence => ({ what: `skill ${path}`, ...why }));
    const asRead = loaded.map(toContextFile);
    return {
      ...state,
      files: asRead,
      loaded: asRead,
      skills,
      firstRunComplete,
      absences: [...state.absences, ...absences],
    };
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
      absence: whyAbsent(read),
    };
  }
  const rope =
    read.text === ''
      ? EMPTY_ROPE
      : [{ text: read.text, origin: { kind: 'file' as const, path }, source: read, start: 0 }];
  return { name, path, missing: false, rope, content: read.text, realPath: read.realPath, source: read };
}
