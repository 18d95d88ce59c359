// The folder that a command runs in: inside the workspace after links are followed, and held open, so that a link that
// is put in its place meanwhile has no effect.

import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { openContainedTarget, type WorkspacePlace } from '../contained-path.ts';
import { ToolFileMissingError, ToolFileUnusableError, ToolPathError } from '../errors.ts';

export interface WorkingFolder {
  /** What a process is started in. Good while the folder is held open. */
  readonly path: string;
  /** Its name without links, for messages and for programs that lie in it. */
  readonly realPath: string;
  /** Where it is, relative to the workspace, without links; `.` for the workspace. */
  readonly cwd: string;
  /** True when it was asked for by this name, and no link led there. */
  readonly isDirect: boolean;
  close(): Promise<void>;
}

export async function openWorkingFolder(place: WorkspacePlace, cwd = '.'): Promise<WorkingFolder> {
  // Looking for a random name that does not exist opens its folder.
  const { folder } = await openContainedTarget(place, join(cwd, randomUUID()), { createFolders: false }).catch(
    (error) => refuse(cwd, error),
  );
  try {
    const path = folder.at('.');
    const [root, real] = await Promise.all([realpath(place.workspaceDir), realpath(path)]);
    const written = resolve(place.workspaceDir, cwd);
    const isDirect = real === written || real === resolve(root, relative(place.workspaceDir, written));
    return { path, realPath: real, cwd: relative(root, real) || '.', isDirect, close: () => folder.close() };
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/** In terms of the folder that was asked for. */
function refuse(cwd: string, error: unknown): never {
  if (error instanceof ToolPathError) throw new ToolPathError({ path: cwd, problem: error.problem });
  if (error instanceof ToolFileMissingError)
    throw new ToolFileUnusableError({ path: cwd, problem: 'there is no such folder' });
  if (error instanceof ToolFileUnusableError)
    throw new ToolFileUnusableError({ path: cwd, problem: 'it is no folder' }, { cause: error });
  throw error;
}

/** For a decision, when the folder need not stay open. */
export async function resolveWorkingFolder(
  place: WorkspacePlace,
  cwd?: string,
): Promise<Pick<WorkingFolder, 'cwd' | 'isDirect'>> {
  const folder = await openWorkingFolder(place, cwd);
  await folder.close();
  return folder;
}
