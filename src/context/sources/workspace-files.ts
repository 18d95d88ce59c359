// Loads the bootstrap files of a workspace in the order of its taxonomy. A missing file is an entry, not an error; so
// is a file that may not be read, with the reason. Nested files are not loaded automatically.

import { join } from 'node:path';
import type { WorkspaceBootstrapFile } from '../../protocol/bootstrap-file.ts';
import { UnreadableBootstrapFileError } from '../errors.ts';
import { OPENCLAW_TAXONOMY, type Taxonomy, type TaxonomyFile } from '../taxonomy.ts';
import { CachedFileSource, type FileRead, type FileSource } from './file-source.ts';

export interface LoadedFile {
  readonly name: string;
  readonly path: string;
  readonly read: FileRead;
}

export async function loadWorkspaceFiles(
  source: FileSource,
  workspaceDir: string,
  taxonomy: Taxonomy,
  allowedRoots: readonly string[] = [],
): Promise<readonly LoadedFile[]> {
  const spelled = spellingsOf(taxonomy);
  const read = (name: string, names?: number) =>
    source.read(join(workspaceDir, name), [workspaceDir, ...allowedRoots], { folders: allowedRoots, names });
  const first = await Promise.all(spelled.map(({ name }) => read(name)));
  const reads = await Promise.all(
    first.map((each, index) => {
      const names = knownNames(each, first, spelled[index]?.file, spelled);
      return names === undefined ? each : read(spelled[index]?.name ?? '', names);
    }),
  );
  const loaded: LoadedFile[] = [];
  const foundOf = new Map<TaxonomyFile, Set<string>>();
  reads.forEach((read, index) => {
    const { name = '', file } = spelled[index] ?? {};
    if (!file) return;
    const found = foundOf.get(file) ?? new Set();
    foundOf.set(file, found);
    if (read.kind === 'text') {
      if (found.has(read.identity)) return;
      found.add(read.identity);
      loaded.push({ name, path: read.path, read });
    } else if (file.listed === 'always' || (read.entryExists && found.size === 0)) {
      loaded.push({ name, path: read.path, read });
    }
  });
  return loaded;
}

/** Every name that a file may have, in load order; two spellings of one real file are loaded once. */
function spellingsOf(taxonomy: Taxonomy): readonly Spelling[] {
  const known = spellings.get(taxonomy);
  if (known) return known;
  const made = taxonomy.files.flatMap((file) =>
    [file.name, ...(file.alternates ?? [])].map((name) => ({ name, file })),
  );
  spellings.set(taxonomy, made);
  return made;
}

interface Spelling {
  readonly name: string;
  readonly file: TaxonomyFile;
}

/** Every run asks for those of the same few taxonomies. */
const spellings = new WeakMap<Taxonomy, readonly Spelling[]>();

/**
 * A file may be there under each of its spellings as a hard link. When it has no other name, all its names are known to
 * lie in the workspace. The answer is their number; undefined for every other file.
 */
function knownNames(
  read: FileRead,
  all: readonly FileRead[],
  file: TaxonomyFile | undefined,
  spelled: readonly { readonly file: TaxonomyFile }[],
): number | undefined {
  const link = read.kind === 'absent' ? read.hardLink : undefined;
  if (!link) return undefined;
  const isSame = (other: FileRead, index: number) =>
    spelled[index]?.file === file && other.kind === 'absent' && other.hardLink?.identity === link.identity;
  return all.filter(isSame).length === link.names ? link.names : undefined;
}

/** The seed's loader: the plain workspace, with read errors other than "not there" reaching the caller. */
export async function loadWorkspaceBootstrapFiles(
  dir: string,
  options: { source?: FileSource; taxonomy?: Taxonomy; allowedRoots?: readonly string[] } = {},
): Promise<WorkspaceBootstrapFile[]> {
  const source = options.source ?? new CachedFileSource();
  const files = await loadWorkspaceFiles(source, dir, options.taxonomy ?? OPENCLAW_TAXONOMY, options.allowedRoots);
  return files.map(({ name, path, read }) => {
    if (read.kind === 'text') return { name, path, content: read.text, missing: false };
    if (read.reason === 'unreadable')
      throw new UnreadableBootstrapFileError({ path, detail: read.detail }, { cause: read.cause });
    return { name, path, missing: true };
  });
}
