// Opens files and folders of a workspace by paths that a model wrote. What is opened lies in the workspace after all
// links are followed, and it is the same thing that was checked: every folder on the way is held open and the next name is
// looked up in it, so that a link that is created meanwhile has no effect.
//
// Errors: ToolPathError for a path that leads out, ToolFileWithheldError for a file that this caller must not see,
// ToolFileMissingError for one that leads to nothing, and ToolFileUnusableError for whatever is there and is no regular
// file. Knows nothing of texts.

import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { JsonObject } from '../protocol/json.ts';
import { isWithheldName } from '../protocol/withheld-file.ts';
import {
  ToolFileChangedError,
  ToolFileMissingError,
  ToolFileUnusableError,
  ToolFileWithheldError,
  ToolPathError,
} from './errors.ts';

export interface WorkspacePlace {
  readonly workspaceDir: string;
  /** What a leading `~` stands for; without it such a path is a name like any other. */
  readonly home?: string | undefined;
  /** Where the system shows a process its open files; looked at only to find names inside a folder that is held open. */
  readonly descriptorDir?: string | undefined;
  /** What must not be opened, by whatever way a path leads there. */
  readonly withheld?: WithheldFiles | undefined;
}

/** Files that are kept from a caller. */
export interface WithheldFiles {
  /** A file of one of these names, in any folder, and the file that such a name in the workspace leads to. */
  readonly names: readonly string[];
  /** Folders of the workspace, with everything below them. */
  readonly folders: readonly string[];
  /** How the caller is told of one of these names. */
  describe(name: string): string;
  because(name: string): string;
}

/** A regular file, open for reading. The caller closes it. */
export interface ContainedFile {
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
}

/** A name in a folder that is held open. Nothing need stand there yet. The caller closes the folder. */
export interface ContainedTarget {
  readonly folder: PinnedFolder;
  readonly name: string;
  /** What stands there now; undefined for nothing. */
  readonly stats: BigIntStats | undefined;
}

const DESCRIPTOR_DIR = '/proc/self/fd';
const LONGEST_PATH = 4_096;
const NO_LINK = constants.O_NOFOLLOW ?? 0;

export async function openContainedFile(place: WorkspacePlace, path: string): Promise<ContainedFile> {
  const { folder, name, stats } = await openContainedTarget(place, path, { createFolders: false });
  try {
    if (!stats) throw new ToolFileMissingError({ path });
    // If a pipe was put here meanwhile, opening it must not wait for ever.
    const flags = constants.O_RDONLY | NO_LINK | (constants.O_NONBLOCK ?? 0);
    const handle = await open(folder.at(name), flags).catch((error) => refuse(path, error));
    try {
      const opened = await handle.stat({ bigint: true });
      refuseUnlessRegular(path, opened);
      await folder.confirm(path);
      const isSame = opened.ino === stats.ino && opened.dev === stats.dev;
      if (!folder.isPinned && !isSame) throw new ToolFileChangedError({ path });
      // Another name of the same file may lie anywhere, so it is not certain that the file is in the workspace.
      if (opened.nlink > 1n) {
        throw new ToolPathError({
          path,
          problem: 'it is a hard link, whose other names may lie outside of the workspace',
        });
      }
      return { handle, stats: opened };
    } catch (error) {
      await handle.close();
      throw error;
    }
  } finally {
    await folder.close();
  }
}

/** Links are followed to the file that they mean, so that a write goes where a read would. */
export async function openContainedTarget(
  place: WorkspacePlace,
  path: string,
  options: { readonly createFolders: boolean },
): Promise<ContainedTarget> {
  const root = await realRootOf(place);
  const real = await followLinks(root, join(root, wayInto(place, root, path)), path);
  if (real === root) throw new ToolFileUnusableError({ path, problem: 'it is the workspace itself, a directory' });
  if (place.withheld) await refuseWithheld(root, real, place.withheld);
  const names = relative(root, dirname(real)).split(sep).filter(Boolean);
  let folder = await PinnedFolder.openRoot(root, place.descriptorDir ?? DESCRIPTOR_DIR);
  try {
    for (const name of names) {
      const parent = folder;
      folder = await parent.openChild(name, path, options.createFolders);
      await parent.close();
    }
    await folder.confirm(path);
    const name = basename(real);
    const stats = await lstat(folder.at(name), { bigint: true }).catch((error) => unlessMissing(path, error));
    if (stats) refuseUnlessRegular(path, stats);
    return { folder, name, stats };
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/** A folder of the workspace that stays the same folder whatever happens to its name. */
class PinnedFolder {
  readonly #handle: FileHandle;
  readonly #root: string;
  /** The real path when it was opened. */
  readonly #path: string;
  /** Undefined where the system cannot look a name up in an open folder; then the path is checked again instead. */
  readonly #descriptorDir: string | undefined;

  private constructor(handle: FileHandle, root: string, path: string, descriptorDir: string | undefined) {
    this.#handle = handle;
    this.#root = root;
    this.#path = path;
    this.#descriptorDir = descriptorDir;
  }

  static async openRoot(root: string, descriptorDir: string): Promise<PinnedFolder> {
    const handle = await openFolder(root).catch((error) => refuse(root, error));
    const shown = await readlink(join(descriptorDir, String(handle.fd))).catch(() => undefined);
    return new PinnedFolder(handle, root, root, shown === undefined ? undefined : descriptorDir);
  }

  /** False where a name can only be looked up by its whole path. */
  get isPinned(): boolean {
    return this.#descriptorDir !== undefined;
  }

  /** The path under which the system finds `name` in this very folder. */
  at(name: string): string {
    return this.#descriptorDir === undefined
      ? join(this.#path, name)
      : join(this.#descriptorDir, String(this.#handle.fd), name);
  }

  async openChild(name: string, path: string, create: boolean): Promise<PinnedFolder> {
    if (create) {
      await this.confirm(path);
      await mkdir(this.at(name)).catch((error) => {
        if (error.code !== 'EEXIST') refuse(path, error);
      });
    }
    const handle = await openFolder(this.at(name)).catch((error) => {
      if (error.code === 'ENOENT') throw new ToolFileMissingError({ path });
      if (error.code === 'ENOTDIR' || error.code === 'ELOOP') {
        throw new ToolFileUnusableError({ path, problem: `${JSON.stringify(name)} on the way is no directory` });
      }
      return refuse(path, error);
    });
    return new PinnedFolder(handle, this.#root, join(this.#path, name), this.#descriptorDir);
  }

  /** Throws once the folder is no longer in the workspace. */
  async confirm(path: string): Promise<void> {
    if (!isInside(this.#root, await this.#currentPath())) {
      throw new ToolPathError({ path, problem: 'its folder was moved out of the workspace meanwhile' });
    }
  }

  async #currentPath(): Promise<string> {
    if (this.#descriptorDir !== undefined) {
      return readlink(join(this.#descriptorDir, String(this.#handle.fd))).catch(() => '');
    }
    const [held, named] = await Promise.all([
      this.#handle.stat({ bigint: true }),
      lstat(this.#path, { bigint: true }).catch(() => undefined),
    ]);
    const isSame = named !== undefined && named.ino === held.ino && named.dev === held.dev;
    return isSame ? realpath(this.#path).catch(() => '') : '';
  }

  /** Makes the names in this folder survive a power cut. */
  async sync(): Promise<void> {
    // Some file systems cannot do this for a folder, and do not need it.
    await this.#handle.sync().catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

async function realRootOf({ workspaceDir }: WorkspacePlace): Promise<string> {
  return realpath(workspaceDir).catch((error) => refuse(workspaceDir, error));
}

/** The path below the workspace, as written. A path that leads out is refused before the disk is read. */
function wayInto({ workspaceDir, home }: WorkspacePlace, root: string, path: string): string {
  if (path.includes('\0')) throw new ToolPathError({ path, problem: 'it holds a NUL character' });
  if (path.trim() === '') throw new ToolPathError({ path, problem: 'it is empty' });
  if (path.length > LONGEST_PATH)
    throw new ToolPathError({ path: `${path.slice(0, 100)}…`, problem: 'it is too long' });
  const isAtHome = home !== undefined && (path === '~' || path.startsWith('~/'));
  const written = isAtHome ? join(home, path.slice(1)) : path;
  const base = resolve(workspaceDir);
  const full = resolve(base, written);
  if (isInside(base, full)) return relative(base, full);
  if (isInside(root, full)) return relative(root, full);
  throw new ToolPathError({ path, problem: 'it leads out of the workspace' });
}

/** The real path, as far as it exists; names that are not there yet are added as they are. */
async function followLinks(root: string, wanted: string, path: string): Promise<string> {
  const rest: string[] = [];
  for (let at = wanted; ; at = dirname(at)) {
    const real = await realpath(at).catch((error) => {
      if (error.code === 'ELOOP') throw new ToolPathError({ path, problem: 'its links lead in a circle' });
      return unlessMissing(path, error);
    });
    if (real !== undefined) {
      if (!isInside(root, real))
        throw new ToolPathError({ path, problem: 'a link on the way leads out of the workspace' });
      return join(real, ...rest);
    }
    if (at === root) throw new ToolFileUnusableError({ path: root, problem: 'the workspace is not there' });
    rest.unshift(basename(at));
  }
}

/** A withheld name may itself be a link, so the place that it leads to is withheld too. */
async function refuseWithheld(root: string, real: string, withheld: WithheldFiles): Promise<void> {
  const { names, folders } = withheld;
  const realOf = (name: string) => realpath(join(root, name)).catch(() => join(root, name));
  const isThere = async (name: string) => isInside(await realOf(name), real);
  const byName = isWithheldName(names, basename(real)) ? basename(real) : undefined;
  for (const name of [...(byName === undefined ? [] : [byName]), ...names, ...folders]) {
    if (name === byName || (await isThere(name)))
      throw new ToolFileWithheldError({ what: withheld.describe(name), because: withheld.because(name) });
  }
}

function openFolder(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | NO_LINK);
}

function refuseUnlessRegular(path: string, stats: BigIntStats): void {
  if (stats.isFile()) return;
  throw new ToolFileUnusableError({ path, problem: `it is ${describeKind(stats)}, not a regular file` });
}

function describeKind(stats: BigIntStats): string {
  if (stats.isDirectory()) return 'a directory';
  if (stats.isSymbolicLink()) return 'a link that leads nowhere';
  if (stats.isFIFO()) return 'a pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}

function unlessMissing(path: string, error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') refuse(path, error);
}

/** The system's messages name descriptors, which mean nothing to a model. */
export function refuse(path: string, error: NodeJS.ErrnoException): never {
  const problem = {
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    ENOENT: 'it is not there',
    ENOTDIR: 'it is no directory',
    ENAMETOOLONG: 'its name is too long',
    ENOSPC: 'the disk is full',
    EROFS: 'the disk is read-only',
    ELOOP: 'it became a link meanwhile',
  }[error.code ?? ''];
  throw new ToolFileUnusableError({ path, problem: problem ?? error.code ?? 'it failed' }, { cause: error });
}

/** True when `path` is `root` or below it. */
function isInside(root: string, path: string): boolean {
  if (path === '') return false;
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The list is empty when the call names no file. */
export function namedPaths({ path }: JsonObject, home: string | undefined): readonly string[] {
  if (typeof path !== 'string' || path.trim() === '') return [];
  const isAtHome = home !== undefined && (path === '~' || path.startsWith('~/'));
  return [isAtHome ? join(home, path.slice(1)) : path];
}
