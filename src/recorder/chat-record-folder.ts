// Finds the folder of chat records, `<root>/.openboa/chat/chats`, after all links were followed. It lies in the root, and in
// no workspace: agents must not read what was said to others. Whatever leads elsewhere is refused by name, before
// anything is created or read there.

import { lstat, mkdir, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';

export interface ChatRecordPlace {
  readonly root: string;
  /** The workspaces of all agents. */
  readonly workspaces: readonly string[];
}

/** A folder that must not be used. Its message is a sentence for the operator. */
export class ChatFolderRefusedError extends Error {}

const WAY = ['.openboa', 'chat', 'chats'];

/** Undefined when the folder is not there yet. */
export async function findChatFolder(place: ChatRecordPlace): Promise<string | undefined> {
  const folder = await walk(place, async () => {});
  return (await realpathOf(folder)) === undefined ? undefined : folder;
}

export async function makeChatFolder(place: ChatRecordPlace): Promise<string> {
  await mkdir(place.root, { recursive: true, mode: 0o700 });
  return walk(place, async (folder) => {
    await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  });
}

/** Goes down to the folder, one name after the other. `enter` is called for a folder that may be used. */
async function walk({ root, workspaces }: ChatRecordPlace, enter: (folder: string) => Promise<void>): Promise<string> {
  const base = (await realpathOf(root)) ?? root;
  const closed = await Promise.all(workspaces.map(async (each) => (await realpathOf(each)) ?? each));
  let folder = base;
  for (const name of WAY) {
    const next = join(folder, name);
    refuseInWorkspace(next, next, closed);
    await enter(next);
    // This is asked first: a link that is made in between leads somewhere.
    const isLinked = await isLink(next);
    // What does not exist is not a link, so the rest of the way can be judged as it is written.
    const real = (await realpathOf(next)) ?? next;
    if (real === next && isLinked)
      throw new ChatFolderRefusedError(`${next} is a link that leads to nothing. Remove that link.`);
    if (!isInside(real, base))
      throw new ChatFolderRefusedError(`${next} leads to ${real}, outside of ${base}. Remove that link.`);
    refuseInWorkspace(real, next, closed);
    folder = real;
  }
  return folder;
}

function refuseInWorkspace(real: string, written: string, workspaces: readonly string[]): void {
  const workspace = workspaces.find((each) => isInside(real, each));
  if (workspace !== undefined)
    throw new ChatFolderRefusedError(
      `${written} leads into ${workspace}, which is a workspace. Choose a folder outside of all workspaces with openboa.root.`,
    );
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function realpathOf(path: string): Promise<string | undefined> {
  return realpath(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (entry) => entry.isSymbolicLink(),
    () => false,
  );
}
