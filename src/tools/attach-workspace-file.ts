// Takes a file of the workspace along with something that an agent sends. The path is a model's word, so it is contained
// after links are followed, and what is withheld from the caller's file tools is withheld here too.
//
// Errors: those of contained-path.ts, ToolFileUnusableError for a file that is too large, and those of `keep`.

import { basename } from 'node:path';
import { type AttachmentRef, formatBytes } from '../protocol/attachment.ts';
import { openContainedFile, type WorkspacePlace } from './contained-path.ts';
import { ToolFileUnusableError } from './errors.ts';

export interface FileKeeper {
  /** The largest file that is taken. */
  readonly maxBytes: number;
  keep(file: { readonly name: string; readonly bytes: Uint8Array }): Promise<AttachmentRef>;
}

export async function attachWorkspaceFile(
  keeper: FileKeeper,
  place: WorkspacePlace,
  path: string,
): Promise<AttachmentRef> {
  const { handle, stats } = await openContainedFile(place, path);
  try {
    const most = keeper.maxBytes;
    const tooLarge = () => new ToolFileUnusableError({ path, problem: `it is larger than ${formatBytes(most)}` });
    if (stats.size > most) throw tooLarge();
    // A file may grow while it is read, so its size is looked at again.
    const bytes = await handle.readFile();
    if (bytes.length > most) throw tooLarge();
    return await keeper.keep({ name: basename(path), bytes });
  } finally {
    await handle.close();
  }
}
