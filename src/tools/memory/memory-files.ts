// The files that are an agent's memory: MEMORY.md, or memory.md, and the Markdown files below memory/. Finds them and
// reads them; links are followed only to other files of the memory, so that no link makes a secret searchable.

import type { BigIntStats } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isAtriumError } from '../../protocol/errors.ts';
import { type ContainedFile, openContainedFile } from '../contained-path.ts';
import { ToolFileMissingError, ToolInputError } from '../errors.ts';
import { readWholeText } from '../file-text.ts';

/** Larger ones are data; they can still be read in parts. */
const MAX_INDEXED_FILE_BYTES = 512n * 1024n;
const MAX_MEMORY_FILES = 1_000;
const MAX_DEPTH = 4;

export interface MemoryFile {
  /** The path relative to the workspace, with forward slashes. */
  readonly path: string;
  /** Changes whenever the file does. */
  readonly stamp: string;
  readonly bytes: number;
  readonly changedAt: number;
}

export interface MemoryListing {
  readonly files: readonly MemoryFile[];
  /** Paths that exist and were left out, for their size or their number. */
  readonly leftOut: readonly string[];
}

/** A path that a model wrote, relative to the workspace and with forward slashes. Refuses all that is not memory. */
export function memoryPathOf(tool: string, workspaceDir: string, path: string): string {
  const way = path.includes('\0') ? '' : wayBelow(workspaceDir, resolve(workspaceDir, path));
  if (!isMemoryPath(way)) throw noMemory(tool, path);
  return way;
}

/** Rejects with ToolFileMissingError where nothing is. The caller closes the file. */
export async function openMemoryFile(tool: string, workspaceDir: string, path: string): Promise<ContainedFile> {
  const root = await realpath(workspaceDir).catch(() => resolve(workspaceDir));
  const real = await realpath(join(root, path)).catch(() => undefined);
  if (real === undefined) throw new ToolFileMissingError({ path });
  const way = wayBelow(root, real);
  // The error names the path that was asked for, and does not tell where a link leads.
  if (!isMemoryPath(way)) throw noMemory(tool, path);
  return openContainedFile({ workspaceDir: root }, way);
}

export async function listMemoryFiles(workspaceDir: string): Promise<MemoryListing> {
  const paths = [...(await mainFiles(workspaceDir)), ...(await notes(workspaceDir, 'memory', 1))];
  const files: MemoryFile[] = [];
  const leftOut: string[] = paths.slice(MAX_MEMORY_FILES);
  const seen = new Set<string>();
  for (const path of paths.slice(0, MAX_MEMORY_FILES)) {
    const stats = await statsOf(workspaceDir, path);
    if (!stats) continue;
    const identity = `${stats.dev}:${stats.ino}`;
    // The same file under two names, by a link or on a disk that ignores case, counts once.
    if (seen.has(identity)) continue;
    seen.add(identity);
    if (stats.size > MAX_INDEXED_FILE_BYTES) leftOut.push(path);
    else {
      const stamp = [identity, stats.size, stats.mtimeNs, stats.ctimeNs].join(':');
      files.push({ path, stamp, bytes: Number(stats.size), changedAt: Number(stats.mtimeMs) });
    }
  }
  return { files, leftOut };
}

/** Undefined for a file that is gone by now, or is no text. */
export async function readMemoryFile(workspaceDir: string, path: string): Promise<string | undefined> {
  try {
    const file = await openMemoryFile('memory_search', workspaceDir, path);
    return await readWholeText(path, file).finally(() => file.handle.close());
  } catch (error) {
    if (isAtriumError(error)) return undefined;
    throw error;
  }
}

function noMemory(tool: string, path: string): ToolInputError {
  return new ToolInputError({
    tool,
    problems: [
      `${JSON.stringify(path.slice(0, 200))} is no memory file; there are MEMORY.md and the Markdown files below memory/.`,
    ],
  });
}

function isMemoryPath(way: string): boolean {
  return way === 'MEMORY.md' || way === 'memory.md' || /^memory\/.+\.md$/is.test(way);
}

/** Empty for a path that is not below the workspace. */
function wayBelow(workspaceDir: string, path: string): string {
  const way = relative(resolve(workspaceDir), path);
  return isAbsolute(way) || way.startsWith('..') ? '' : way.split(sep).join('/');
}

async function mainFiles(workspaceDir: string): Promise<readonly string[]> {
  const names: readonly string[] = await readdir(workspaceDir).catch(() => []);
  return ['MEMORY.md', 'memory.md'].filter((name) => names.includes(name));
}

/** Newest names first, as daily notes are named by their day; links to folders are not followed. */
async function notes(workspaceDir: string, folder: string, depth: number): Promise<readonly string[]> {
  const place = join(workspaceDir, folder);
  const isFolder = await lstat(place).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) return [];
  const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? 1 : -1))) {
    if (found.length > MAX_MEMORY_FILES) break;
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() && depth < MAX_DEPTH) found.push(...(await notes(workspaceDir, path, depth + 1)));
    else if (!entry.isDirectory() && /\.md$/i.test(entry.name)) found.push(path);
  }
  return found;
}

async function statsOf(workspaceDir: string, path: string): Promise<BigIntStats | undefined> {
  const stats = await lstat(join(workspaceDir, path), { bigint: true }).catch(() => undefined);
  if (!stats?.isSymbolicLink()) return stats?.isFile() ? stats : undefined;
  try {
    const file = await openMemoryFile('memory_search', workspaceDir, path);
    await file.handle.close();
    return file.stats;
  } catch (error) {
    if (isAtriumError(error)) return undefined;
    throw error;
  }
}
