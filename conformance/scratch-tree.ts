// A throw-away directory for cases that need real files. Cases name places by placeholder (`$WS`, `$HOME`…); a scratch
// tree gives each a real directory, writes the files a case describes, and translates paths in both directions.

import { link, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type ContentSpec, expandContent } from './content-spec.ts';

/** Relative path -> what stands there. */
export type TreeSpec = Readonly<Record<string, TreeEntry>>;

export type TreeEntry =
  | ContentSpec
  | { readonly dir: true }
  | { readonly symlink: string }
  | { readonly hardlink: string }
  | { readonly base64: string };

/**
 * Runs `use` with a fresh tree and removes it afterwards, whatever happens. `places` maps placeholders to paths below
 * the scratch directory, or to absolute paths outside it; nothing is created for them until something is written.
 */
export async function withScratchTree<T>(
  places: Readonly<Record<string, string>>,
  use: (scratch: ScratchTree) => Promise<T>,
): Promise<T> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'atrium-conformance-')));
  try {
    return await use(new ScratchTree(root, places));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

export class ScratchTree {
  readonly root: string;
  readonly #places: ReadonlyMap<string, string>;

  constructor(root: string, places: Readonly<Record<string, string>>) {
    this.root = root;
    this.#places = new Map(Object.entries(places).map(([name, path]) => [name, resolve(root, path)]));
  }

  /** The real directory behind a placeholder. */
  path(place: string): string {
    const path = this.#places.get(place);
    if (path === undefined) throw new Error(`This scratch tree has no ${place}; name it when the tree is made.`);
    return path;
  }

  /** Writes `tree` below `base`, which exists afterwards even if the tree is empty. */
  async write(base: string, tree: TreeSpec): Promise<void> {
    await mkdir(base, { recursive: true });
    // Hard links come last: what they link to has to be there.
    const entries = Object.entries(tree).sort(([, a], [, b]) => Number(isHardlink(a)) - Number(isHardlink(b)));
    for (const [name, entry] of entries) await this.#writeEntry(join(base, name), entry);
  }

  /** The value with every placeholder replaced by its real path. */
  toReal<T>(value: T): T {
    return mapStrings(value, (text) => text.replace(/\$[A-Z]+/g, (name) => this.#places.get(name) ?? name)) as T;
  }

  /** The value with every real path replaced by its placeholder, the deepest place first. */
  toPlaceholders(value: unknown): unknown {
    const places = [...this.#places].sort(([, a], [, b]) => b.length - a.length);
    return mapStrings(value, (text) => places.reduce((masked, [name, path]) => replacePath(masked, path, name), text));
  }

  async #writeEntry(path: string, entry: TreeEntry): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    if (typeof entry === 'object' && 'dir' in entry) await mkdir(path, { recursive: true });
    else if (typeof entry === 'object' && 'symlink' in entry) await symlink(this.toReal(entry.symlink), path);
    else if (typeof entry === 'object' && 'hardlink' in entry) await link(this.toReal(entry.hardlink), path);
    else if (typeof entry === 'object' && 'base64' in entry) await writeFile(path, Buffer.from(entry.base64, 'base64'));
    else await writeFile(path, expandContent(entry));
  }
}

function isHardlink(entry: TreeEntry): boolean {
  return typeof entry === 'object' && 'hardlink' in entry;
}

function replacePath(text: string, path: string, name: string): string {
  const escaped = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replace(new RegExp(`${escaped}(?![\\w.-])`, 'g'), () => name);
}

/** Plain data only: instances of classes are handed through untouched. */
function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((inner) => mapStrings(inner, map));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [map(key), mapStrings(inner, map)]));
}
