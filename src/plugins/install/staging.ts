// The staging folder, `<state>/atrium/installing`, in which one command at a time prepares and changes what is installed.
// A file with the process's number locks it, and it is emptied before and after. A folder that a killed command had moved
// away is put back first, so that after a crash either the old version or the new one is in place.

import { randomUUID } from 'node:crypto';
import { link, lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isInside } from '../../hooks/packs/contained-file.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import { InstallBusyError, InstallNotWritableError } from '../errors.ts';

export interface Staging {
  /** An empty folder, private and on the same disk as the state directory. */
  readonly stagingDir: string;
  /** Puts a folder into its place, where an older one stays until then. */
  place(folder: string, target: string): Promise<PlacedFolder>;
  /** Takes a folder out of its place, in the same way. */
  takeAway(target: string): Promise<PlacedFolder>;
}

export interface PlacedFolder {
  undo(): Promise<void>;
}

export async function withStaging<Value>(stateDir: string, work: (staging: Staging) => Promise<Value>): Promise<Value> {
  const root = join(stateDir, 'atrium', 'installing');
  const release = await hold(root);
  try {
    await putBack(root, stateDir);
    const stagingDir = await mkdtemp(join(root, 'job-'));
    try {
      return await work(stagingIn(stagingDir));
    } finally {
      await rm(stagingDir, { recursive: true, force: true });
    }
  } finally {
    await release();
  }
}

function stagingIn(stagingDir: string): Staging {
  const old = join(stagingDir, OLD);
  const takeAway = async (target: string): Promise<PlacedFolder> => {
    try {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      if (!(await exists(target))) return { undo: async () => {} };
      await writeFile(join(stagingDir, OLD_PLACE), target, { mode: 0o600, flush: true });
      await rename(target, old);
    } catch (error) {
      throw new InstallNotWritableError({ dir: target }, { cause: error });
    }
    return { undo: () => rename(old, target) };
  };
  return {
    stagingDir,
    takeAway,
    async place(folder, target) {
      const before = await takeAway(target);
      try {
        await rename(folder, target);
      } catch (error) {
        await before.undo();
        throw new InstallNotWritableError({ dir: target }, { cause: error });
      }
      return {
        undo: async () => {
          await rm(target, { recursive: true, force: true });
          await before.undo();
        },
      };
    },
  };
}

const OLD = 'old';
const OLD_PLACE = 'old-place';

/** A folder that was moved away before a crash, and has no replacement yet, is put back. */
async function putBack(root: string, stateDir: string): Promise<void> {
  for (const name of (await readdir(root)).filter((each) => each.startsWith('job-'))) {
    const job = join(root, name);
    const place = await readFile(join(job, OLD_PLACE), 'utf8').catch(() => undefined);
    if (place !== undefined && isInside(stateDir, place) && (await exists(join(job, OLD))) && !(await exists(place))) {
      await rename(join(job, OLD), place);
    }
    await rm(job, { recursive: true, force: true });
  }
}

async function hold(root: string): Promise<() => Promise<void>> {
  const file = join(root, 'held-by');
  const mine = join(root, `process-${randomUUID()}`);
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
    await writeFile(mine, String(process.pid), { mode: 0o600 });
    // A link appears together with its content, so a reader never sees half a number.
    while (!(await isLinked(mine, file))) {
      const holder = await livingHolder(file);
      if (holder !== undefined) throw new InstallBusyError({ pid: holder });
      const stale = join(root, `stale-${randomUUID()}`);
      const isMoved = await rename(file, stale).then(
        () => true,
        () => false,
      );
      // Another process may have been quicker and hold the file by now; then its file is put back.
      if (isMoved && (await livingHolder(stale)) !== undefined) await isLinked(stale, file);
      await rm(stale, { force: true });
    }
    return () => rm(file, { force: true });
  } catch (error) {
    if (isAtriumError(error)) throw error;
    throw new InstallNotWritableError({ dir: root }, { cause: error });
  } finally {
    await rm(mine, { force: true });
  }
}

async function isLinked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** The process that holds it, unless it is gone. */
async function livingHolder(file: string): Promise<number | undefined> {
  const pid = Number(await readFile(file, 'utf8').catch(() => ''));
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  try {
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? pid : undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
