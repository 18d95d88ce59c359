// Finds hook packs on disk, one level below each hooks directory, in an order that depends on names alone. A link to a
// pack is followed where the operator put it, and named as a problem everywhere else. No file outside a pack's own
// directory is read. Discovery executes and enables nothing: what may run is decided later.

import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { findContainedFile, isInside } from './contained-file.ts';
import { type HookCollision, resolveHookCollisions } from './hook-collisions.ts';
import type { HookPack, HookProblem, HookSource } from './hook-pack.ts';
import { parseHookMd } from './parse-hook-md.ts';

/** A larger HOOK.md or package.json is not accepted as one. */
const LARGEST_FILE = 256 * 1024;

/** All paths are absolute. A directory that does not exist simply has no packs. */
export interface HookDirectories {
  /**
   * Directories that the operator names in `hooks.internal.load.extraDirs`. They are as trusted as the managed
   * directory, which wins over them.
   */
  readonly extraDirs?: readonly string[] | undefined;
  readonly bundledDir?: string | undefined;
  readonly pluginDirs?: readonly { readonly pluginId: string; readonly dir: string }[] | undefined;
  /** `<state>/hooks`. */
  readonly managedDir?: string | undefined;
  /** The workspace whose `hooks` directory holds the packs. */
  readonly workspaceDir?: string | undefined;
}

export interface HookDiscovery {
  readonly packs: readonly HookPack[];
  readonly ignored: readonly HookCollision<HookPack>[];
  readonly problems: readonly HookProblem[];
}

export async function discoverHooks(directories: HookDirectories): Promise<HookDiscovery> {
  const problems: HookProblem[] = [];
  const found: HookPack[] = [];
  for (const root of listRoots(directories)) {
    for (const hookDir of await listHookDirs(root, problems)) {
      const pack = await readPack(hookDir, root, problems);
      if (pack) found.push(pack);
    }
  }
  return { ...resolveHookCollisions(found), problems };
}

interface HookRoot {
  readonly dir: string;
  readonly source: HookSource;
  readonly pluginId?: string;
}

function listRoots(directories: HookDirectories): HookRoot[] {
  const { extraDirs = [], bundledDir, pluginDirs = [], managedDir, workspaceDir } = directories;
  const roots: HookRoot[] = extraDirs.map((dir) => ({ dir, source: 'openclaw-managed' }));
  if (bundledDir !== undefined) roots.push({ dir: bundledDir, source: 'openclaw-bundled' });
  roots.push(...pluginDirs.map(({ dir, pluginId }): HookRoot => ({ dir, pluginId, source: 'openclaw-plugin' })));
  if (managedDir !== undefined) roots.push({ dir: managedDir, source: 'openclaw-managed' });
  if (workspaceDir !== undefined) roots.push({ dir: join(workspaceDir, 'hooks'), source: 'openclaw-workspace' });
  return roots;
}

/** A sub-directory is one hook, or a package that lists several. */
async function listHookDirs({ dir: root, source }: HookRoot, problems: HookProblem[]): Promise<string[]> {
  const names: string[] = [];
  try {
    for (const entry of await readdir(root, { withFileTypes: true })) {
      const isPack = entry.isSymbolicLink()
        ? await isLinkToPack(join(root, entry.name), source, problems)
        : entry.isDirectory();
      if (isPack) names.push(entry.name);
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') {
      problems.push({ code: 'directory-unreadable', path: root, message: `the directory cannot be listed (${code})` });
    }
    return [];
  }
  const dirs: string[] = [];
  for (const name of names.sort()) {
    const dir = join(root, name);
    const listed = await readPackageHooks(dir, problems);
    if (listed.length === 0) dirs.push(dir);
    else dirs.push(...(await containPackageHooks(dir, listed, problems)));
  }
  return dirs;
}

/** The state directory and extra directories are the operator's own, and so is a link in them. */
async function isLinkToPack(path: string, source: HookSource, problems: HookProblem[]): Promise<boolean> {
  const code = 'link-not-followed';
  try {
    if (!(await stat(path)).isDirectory()) return false;
    if (source === 'openclaw-managed') return true;
    problems.push({ code, path, message: 'it is a link, which is not followed here: put the folder itself there' });
  } catch (error) {
    const detail = (error as NodeJS.ErrnoException).code ?? String(error);
    problems.push({ code, path, message: `the link does not lead to a folder (${detail})` });
  }
  return false;
}

async function readPackageHooks(dir: string, problems: HookProblem[]): Promise<string[]> {
  const path = join(dir, 'package.json');
  const text = await readContained(dir, path, problems);
  if (text === undefined) return [];
  try {
    const manifest = JSON.parse(text) as { openclaw?: { hooks?: unknown } | null } | null;
    const hooks = manifest?.openclaw?.hooks;
    if (!Array.isArray(hooks)) return [];
    return hooks.flatMap((hook) => (typeof hook === 'string' && hook.trim() !== '' ? [hook.trim()] : []));
  } catch {
    problems.push({ code: 'package-unreadable', path, message: 'package.json is not valid JSON and is ignored' });
    return [];
  }
}

async function containPackageHooks(dir: string, listed: readonly string[], problems: HookProblem[]): Promise<string[]> {
  const dirs: string[] = [];
  for (const hook of listed) {
    const hookDir = resolve(dir, hook);
    if (isInside(dir, hookDir) && (await isReallyInside(dir, hookDir))) {
      dirs.push(hookDir);
      continue;
    }
    const message = `package.json lists "${hook}", which is not a directory inside the package`;
    problems.push({ code: 'file-outside', path: join(dir, 'package.json'), message });
  }
  return dirs;
}

async function isReallyInside(dir: string, path: string): Promise<boolean> {
  try {
    const [realDir, realPath] = await Promise.all([realpath(dir), realpath(path)]);
    return isInside(realDir, realPath);
  } catch {
    return false;
  }
}

async function readPack(dir: string, root: HookRoot, problems: HookProblem[]): Promise<HookPack | undefined> {
  const hookMdPath = join(dir, 'HOOK.md');
  const text = await readContained(dir, hookMdPath, problems);
  if (text === undefined) return undefined;
  const parsed = await parseHookMd(text);
  // A pack that is set to abort must not go unnoticed: it stays in the list, and loading it fails.
  const mustBeThere = parsed.metadata?.onError === 'abort';
  const handlerPath = (await findHandler(dir, problems)) ?? (mustBeThere ? join(dir, FIRST_HANDLER_NAME) : undefined);
  if (handlerPath === undefined) {
    const message = `there is a HOOK.md but none of ${HANDLER_NAMES.join(', ')}`;
    problems.push({ code: 'handler-missing', path: dir, message });
    return undefined;
  }
  problems.push(...parsed.problems.map((problem) => ({ ...problem, path: hookMdPath })));
  const { name, description } = parsed.frontmatter;
  const pack: HookPack = {
    name: name || basename(dir),
    description: description ?? '',
    source: root.source,
    dir,
    hookMdPath,
    handlerPath,
    frontmatter: parsed.frontmatter,
    metadata: parsed.metadata,
  };
  return root.pluginId === undefined ? pack : { ...pack, pluginId: root.pluginId };
}

const FIRST_HANDLER_NAME = 'handler.ts';
const HANDLER_NAMES = [FIRST_HANDLER_NAME, 'handler.js', 'index.ts', 'index.js'];

async function findHandler(dir: string, problems: HookProblem[]): Promise<string | undefined> {
  for (const name of HANDLER_NAMES) {
    const path = join(dir, name);
    const found = await findContainedFile(dir, path);
    if (found.kind === 'file') return path;
    reportUnusable(path, found, problems);
  }
  return undefined;
}

async function readContained(dir: string, path: string, problems: HookProblem[]): Promise<string | undefined> {
  const found = await findContainedFile(dir, path);
  if (found.kind !== 'file') {
    reportUnusable(path, found, problems);
    return undefined;
  }
  try {
    if ((await stat(found.realPath)).size > LARGEST_FILE) {
      reportUnusable(path, { kind: 'unreadable', detail: `more than ${LARGEST_FILE} bytes` }, problems);
      return undefined;
    }
    return await readFile(found.realPath, 'utf8');
  } catch (error) {
    const detail = (error as NodeJS.ErrnoException).code ?? String(error);
    reportUnusable(path, { kind: 'unreadable', detail }, problems);
    return undefined;
  }
}

function reportUnusable(
  path: string,
  found: Exclude<Awaited<ReturnType<typeof findContainedFile>>, { kind: 'file' }>,
  problems: HookProblem[],
): void {
  if (found.kind === 'outside') {
    problems.push({ code: 'file-outside', path, message: `the link leads outside the hook, to ${found.realPath}` });
  } else if (found.kind === 'unreadable') {
    problems.push({ code: 'file-unreadable', path, message: `the file cannot be read (${found.detail})` });
  }
}
