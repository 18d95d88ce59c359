// Puts a text in a file's place, whole or not at all: a new file is written beside it, made durable, and renamed over
// it. Readers see the old text or the new one, never a part, and a crash leaves one of the two.

import { randomBytes } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { type ContainedTarget, refuse } from './contained-path.ts';
import { ToolFileChangedError, ToolFileUnusableError } from './errors.ts';

export interface ReplaceOptions {
  readonly signal: AbortSignal;
  /** What the caller read before it made the new text; another state of the file is then left alone. */
  readonly expected?: BigIntStats | undefined;
}

export async function replaceFile(
  target: ContainedTarget,
  path: string,
  text: string,
  { signal, expected }: ReplaceOptions,
): Promise<void> {
  const { folder, name, stats } = target;
  if (stats && (stats.mode & 0o222n) === 0n)
    throw new ToolFileUnusableError({ path, problem: 'it is marked read-only' });
  const draft = folder.at(`.atrium-${randomBytes(8).toString('hex')}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(draft, flags, stats ? 0o600 : 0o666).catch((error) => refuse(path, error));
  try {
    try {
      await handle.writeFile(text);
      if (stats) await takeOver(handle, stats);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await folder.confirm(path);
    if (expected && !(await isUnchanged(folder.at(name), expected))) throw new ToolFileChangedError({ path });
    signal.throwIfAborted();
    await rename(draft, folder.at(name));
  } catch (error) {
    await rm(draft, { force: true });
    if (isSystemError(error)) refuse(path, error);
    throw error;
  }
  await folder.sync();
}

/** Makes a file where nothing stands; what is there already is left alone, also when it came at the last moment. */
export async function createFile({ folder, name }: ContainedTarget, path: string, text: string): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(folder.at(name), flags, 0o666).catch((error) => {
    if (error.code === 'EEXIST') throw new ToolFileUnusableError({ path, problem: 'there is already something' });
    return refuse(path, error);
  });
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await folder.sync();
}

/** A rewritten file keeps its mode, and its owner where this process may give files away. */
async function takeOver(handle: FileHandle, { mode, uid, gid }: BigIntStats): Promise<void> {
  const own = await handle.stat({ bigint: true });
  if (own.uid !== uid || own.gid !== gid) await handle.chown(Number(uid), Number(gid)).catch(() => undefined);
  await handle.chmod(Number(mode & 0o777n));
}

async function isUnchanged(path: string, expected: BigIntStats): Promise<boolean> {
  const now = await lstat(path, { bigint: true }).catch(() => undefined);
  return (
    now !== undefined && (['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const).every((k) => now[k] === expected[k])
  );
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}
