// Puts the files that a parent attached into the workspace of the child's agent. They get a folder that is the child's
// alone, and only new files are made: the parent may be another agent, or one that may not write at all, so nothing that
// already stands in the workspace is changed. What is withheld from the child's file tools is not made either.

import { isAtriumError } from '../../protocol/errors.ts';
import { openContainedTarget, type WorkspacePlace } from '../../tools/contained-path.ts';
import { createFile } from '../../tools/replace-file.ts';
import type { SpawnAttachment } from './parse-spawn-request.ts';

export interface AttachedFiles {
  /** The folder, relative to the workspace. */
  readonly folder: string;
  readonly names: readonly string[];
}

/** A sentence when a file cannot be attached. */
export async function attachFiles(
  place: WorkspacePlace,
  {
    childKey,
    attachments,
    mountPath,
  }: {
    readonly childKey: string;
    readonly attachments: readonly SpawnAttachment[];
    /** A folder below the one of the child. */
    readonly mountPath?: string | undefined;
  },
): Promise<AttachedFiles | string> {
  const own = `attachments/${childKey.slice(childKey.lastIndexOf(':') + 1)}`;
  const folder = mountPath === undefined ? own : `${own}/${mountPath}`;
  try {
    for (const { name, content } of attachments) {
      const path = `${folder}/${name}`;
      const target = await openContainedTarget(place, path, { createFolders: true });
      try {
        await createFile(target, path, content);
      } finally {
        await target.folder.close();
      }
    }
  } catch (error) {
    if (!isAtriumError(error)) throw error;
    return `The files cannot be attached. ${error.message}`;
  }
  return { folder, names: attachments.map(({ name }) => name) };
}
