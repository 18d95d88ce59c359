// Finds the plugins of a gateway, without running any of them: those that the configuration names, those in the state
// directory, those that come with the product and those in the workspace.
//
// Errors: none. A plugin that cannot be loaded is found with its problem; a place that cannot be read is a problem too.
// Result: in the order in which they load: by where they come from, then by name. Does not depend on the disk.

import { createHash } from 'node:crypto';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { findContainedFile, isInside } from '../../hooks/packs/contained-file.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import type { InstallRecord } from '../install/install-records.ts';
import type { PluginManifest, PluginOrigin } from '../plugin-setup.ts';
import {
  idOfPackage,
  manifestOf,
  type PluginMetadata,
  readPluginMetadata,
  textOf,
  textsOf,
} from './plugin-manifest.ts';

export interface PluginPlaces {
  readonly loadPaths: readonly string[];
  readonly stateDir: string;
  readonly workspaceDir: string;
  readonly bundledDirs?: readonly string[] | undefined;
}

export interface FoundPlugin {
  readonly id: string;
  readonly name: string;
  readonly origin: PluginOrigin;
  readonly rootDir: string;
  /** The file that would be loaded, links followed. */
  readonly entryPath: string | null;
  /** The plugin is a single file; other files in its folder do not belong to it. */
  readonly isSingleFile: boolean;
  readonly manifest: PluginManifest;
  /** Why it cannot be loaded, and what to do. */
  readonly problem?: string | undefined;
  readonly install?: InstallRecord | undefined;
}

export interface Discovery {
  /** One of each id. */
  readonly plugins: readonly FoundPlugin[];
  /** Plugins whose id an earlier plugin has already. */
  readonly shadowed: readonly { readonly plugin: FoundPlugin; readonly by: FoundPlugin }[];
  /** Places that cannot be used. */
  readonly problems: readonly string[];
}

export async function discoverPlugins(places: PluginPlaces): Promise<Discovery> {
  const problems: string[] = [];
  const extensionsDir = join(places.stateDir, 'extensions');
  const [configured, extensions, bundled, inWorkspace] = await Promise.all([
    collect(places.loadPaths, (path) => findAtPath(path, problems)),
    findInFolder(extensionsDir, 'extensions', problems),
    collect(places.bundledDirs ?? [], (dir) => findInRoot(dir, 'bundled')),
    findInFolder(join(places.workspaceDir, '.openclaw', 'extensions'), 'workspace', problems),
  ]);
  const managed = await withInstalls(extensions, places.stateDir, problems);
  return { ...withoutDoubles([...configured, ...managed, ...bundled, ...inWorkspace]), problems };
}

/** Adds the install records to plugins that a command installed. */
async function withInstalls(
  plugins: readonly FoundPlugin[],
  stateDir: string,
  problems: string[],
): Promise<readonly FoundPlugin[]> {
  if (plugins.length === 0) return plugins;
  const { readInstallRecords } = await import('../install/install-records.ts');
  const records = await readInstallRecords(stateDir).catch((error: Error): readonly InstallRecord[] => {
    problems.push(error.message);
    return [];
  });
  const dirs = await Promise.all(records.map(({ dir }) => realpath(dir).catch(() => dir)));
  return plugins.map((plugin) => {
    const install = records[dirs.indexOf(plugin.rootDir)];
    return install?.kind === 'plugin' ? { ...plugin, origin: 'installed', install } : plugin;
  });
}

/**
 * The earlier plugin wins. The workspace comes last, which differs from the contract: agents write there, and an operator
 * who enabled an installed plugin by its id did not allow the workspace to replace it.
 */
function withoutDoubles(found: readonly FoundPlugin[]): Pick<Discovery, 'plugins' | 'shadowed'> {
  const first = new Map<string, FoundPlugin>();
  const shadowed: { plugin: FoundPlugin; by: FoundPlugin }[] = [];
  for (const plugin of found) {
    const by = first.get(plugin.id);
    if (!by) first.set(plugin.id, plugin);
    else if (by.rootDir !== plugin.rootDir || by.entryPath !== plugin.entryPath) shadowed.push({ plugin, by });
  }
  return { plugins: [...first.values()], shadowed };
}

/** A file is a plugin; a folder is a plugin or contains some. */
async function findAtPath(path: string, problems: string[]): Promise<FoundPlugin[]> {
  try {
    if ((await stat(path)).isFile()) {
      if (isPluginFile(path)) return [await findFile(path, 'config')];
      problems.push(`plugins.load.paths names ${path}, which is no file that can be loaded.`);
      return [];
    }
  } catch {
    problems.push(`plugins.load.paths names ${path}, which cannot be read. Correct it, or remove it.`);
    return [];
  }
  const own = await findInRoot(path, 'config');
  if (own.length > 0) return own;
  // The files of a package that is something else are not plugins either.
  if (await isSomethingElse(path)) {
    problems.push(
      `plugins.load.paths names ${path}, which is no plugin. Hook packs belong to hooks.internal.load.extraDirs.`,
    );
    return [];
  }
  return findInFolder(path, 'config', problems);
}

async function isSomethingElse(dir: string): Promise<boolean> {
  const names = (await listNames(dir)) ?? [];
  return names.includes('package.json') || names.includes('HOOK.md');
}

async function findInFolder(dir: string, origin: PluginOrigin, problems: string[]): Promise<FoundPlugin[]> {
  const names = await listNames(dir);
  if (names === undefined) problems.push(`${dir} cannot be read, so no plugins are loaded from there.`);
  return collect(names?.slice(0, MAX_CHILDREN) ?? [], async (name) => {
    const path = join(dir, name);
    const entry = await stat(path).catch(() => undefined);
    if (entry?.isFile()) return isPluginFile(name) ? [await findFile(path, origin)] : [];
    return entry?.isDirectory() && !isIgnoredFolder(name) ? findInRoot(path, origin) : [];
  });
}

/** The plugin whose folder this is: several when its package has several entries, none when it is no plugin. */
async function findInRoot(dir: string, origin: PluginOrigin): Promise<FoundPlugin[]> {
  const rootDir = await realpath(dir).catch(() => dir);
  const metadata = await readPluginMetadata(rootDir);
  const { manifest, packageJson } = metadata;
  const declared = isJsonObject(packageJson?.openclaw ?? null) ? (packageJson?.openclaw as JsonObject) : {};
  const extensions = textsOf(declared.extensions);
  const fallbackId = idOfPackage(textOf(packageJson?.name)) ?? basename(dir);
  const id = textOf(manifest?.id) ?? fallbackId;
  const describe = (entry: EntryFile, ownId: string): FoundPlugin => {
    const problem = metadata.problem ?? problemOfId(ownId) ?? entry.problem;
    return found(isPluginId(ownId) ? ownId : safeId(fallbackId), metadata, {
      origin,
      rootDir,
      ...entry,
      isSingleFile: false,
      problem,
    });
  };
  if (metadata.problem !== undefined) return [describe({ entryPath: null }, id)];
  if (extensions.length > 1) {
    return collect(extensions.slice(0, MAX_ENTRIES), async (extension, index) => {
      const runtime = textsOf(declared.runtimeExtensions)[index];
      const entry = await findEntry(rootDir, [...(runtime ? [runtime] : []), extension]);
      return [describe(entry, `${id}/${basename(extension, extname(extension))}`)];
    });
  }
  const isDeclared = manifest !== undefined || extensions.length > 0;
  const listed = [...textsOf(declared.runtimeExtensions).slice(0, 1), ...extensions, ...textsOf(manifest?.entry)];
  const main = isDeclared ? textsOf(packageJson?.main) : [];
  const entry = await findEntry(rootDir, [...listed, ...main, ...DEFAULT_ENTRIES]);
  return isDeclared || entry.entryPath !== null ? [describe(entry, id)] : [];
}

async function findFile(path: string, origin: PluginOrigin): Promise<FoundPlugin> {
  const entryPath = await realpath(path).catch(() => path);
  const id = basename(path, extname(path));
  const metadata = { manifest: undefined, packageJson: undefined, problem: undefined };
  const problem = problemOfId(id) ?? (await problemOfAccess([entryPath]));
  return found(safeId(id), metadata, {
    origin,
    rootDir: dirname(entryPath),
    entryPath,
    isSingleFile: true,
    problem,
  });
}

function found(
  id: string,
  metadata: PluginMetadata,
  rest: Pick<FoundPlugin, 'origin' | 'rootDir' | 'entryPath' | 'isSingleFile' | 'problem'>,
): FoundPlugin {
  const manifest = manifestOf(id, metadata);
  return { id, name: manifest.name ?? id, manifest, ...rest };
}

interface EntryFile {
  readonly entryPath: string | null;
  readonly problem?: string | undefined;
}

/** The first of these that is there. A source file that was not published stands for the file that was built from it. */
async function findEntry(rootDir: string, names: readonly string[]): Promise<EntryFile> {
  for (const name of names.flatMap((each) => [each, ...builtFrom(each)])) {
    const path = join(rootDir, name);
    const file = await findContainedFile(rootDir, path);
    if (file.kind === 'missing') continue;
    if (file.kind === 'outside' || !isInside(rootDir, path)) {
      return { entryPath: null, problem: `Its entry ${quoted(name)} leads out of its folder, so it is not loaded.` };
    }
    if (file.kind === 'unreadable') {
      return { entryPath: null, problem: `Its entry ${quoted(name)} cannot be read: ${file.detail}.` };
    }
    if (!isPluginFile(file.realPath)) continue;
    return { entryPath: file.realPath, problem: await problemOfAccess([rootDir, file.realPath]) };
  }
  const [first] = names;
  const what = first === undefined || DEFAULT_ENTRIES.includes(first) ? 'no entry file' : `no file ${quoted(first)}`;
  return { entryPath: null, problem: `There is ${what} in ${rootDir}. Build the plugin, or install it again.` };
}

/** A user who may write these files decides what the gateway runs. */
async function problemOfAccess(paths: readonly string[]): Promise<string | undefined> {
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  for (const path of paths) {
    const entry = await stat(path).catch(() => undefined);
    if (!entry) return `${path} cannot be read.`;
    if ((entry.mode & 0o002) !== 0)
      return `Every user of this machine may write to ${path}, so it is not loaded. Run "chmod o-w" on it.`;
    if (entry.uid !== uid && entry.uid !== 0) {
      return `${path} belongs to another user of this machine, so it is not loaded. Make it yours with "chown".`;
    }
  }
  return undefined;
}

/** Ids stand in configuration paths, file names and on terminals. */
export function isPluginId(id: string): boolean {
  return /^@?[a-z0-9][\w.-]*(\/[a-z0-9][\w.-]*)*$/i.test(id) && id.length <= MAX_ID && !id.includes('..');
}

function problemOfId(id: string): string | undefined {
  if (isPluginId(id)) return undefined;
  return `Its id ${quoted(id.slice(0, 80))} cannot be used: letters, digits, ".", "-" and "_" are allowed.`;
}

function safeId(id: string): string {
  const cleaned = id.replace(/[^\w.-]+/g, '-').replace(/^[^a-z0-9]+|\.{2,}/gi, '');
  return cleaned.slice(0, MAX_ID) || 'unnamed';
}

function isPluginFile(path: string): boolean {
  const name = basename(path).toLowerCase();
  return /\.[cm]?[jt]s$/.test(name) && !/\.d\.[cm]?ts$/.test(name) && !name.includes('.test.');
}

function isIgnoredFolder(name: string): boolean {
  const lower = name.toLowerCase();
  return IGNORED.has(lower) || /^\.|\.bak$|\.backup-|\.disabled/.test(lower);
}

/** `src/index.ts` is published as `dist/index.js`, `dist/src/index.js` or beside itself. */
function builtFrom(name: string): readonly string[] {
  const source = /^(?:\.\/)?((?:src\/)?)(.+)\.([cm]?)ts$/.exec(name);
  if (!source) return [];
  const [, src = '', stem = '', kind = ''] = source;
  const built = [`dist/${stem}`, `dist/${src}${stem}`, `${src}${stem}`];
  return [...new Set(built.flatMap((each) => [`${each}.${kind}js`, `${each}.js`]))];
}

/** Undefined when the folder is there and cannot be read. */
async function listNames(dir: string): Promise<readonly string[] | undefined> {
  try {
    return (await readdir(dir)).filter((name) => !name.startsWith('.')).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? [] : undefined;
  }
}

async function collect<Item, Found>(
  items: readonly Item[],
  find: (item: Item, index: number) => Promise<readonly Found[]>,
): Promise<Found[]> {
  return (await Promise.all(items.map(find))).flat();
}

const quoted = (text: JsonValue) => JSON.stringify(text);

const DEFAULT_ENTRIES = ['index.ts', 'index.js', 'index.mjs', 'index.cjs'];
const IGNORED: ReadonlySet<string> = new Set(['node_modules', 'dist', 'build', 'coverage']);
const MAX_CHILDREN = 500;
const MAX_ENTRIES = 20;
const MAX_ID = 128;

export async function integrityOf({ isSingleFile, entryPath, rootDir }: FoundPlugin): Promise<string | undefined> {
  try {
    if (isSingleFile && entryPath !== null) {
      return `sha256-${createHash('sha256')
        .update(await readFile(entryPath))
        .digest('base64')}`;
    }
    const { hashPluginFolder } = await import('../install/hash-plugin-folder.ts');
    return await hashPluginFolder(rootDir);
  } catch {
    return undefined;
  }
}
