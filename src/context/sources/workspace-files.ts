// Loads the bootstrap files of a workspace in the order of its taxonomy. A file that is not there is data; so is one
// that may not be read, with the reason. Nested files are never loaded by themselves.

import { join } from 'node:path';
import type { WorkspaceBootstrapFile } from '../../protocol/bootstrap-file.ts';
import { UnreadableBootstrapFileError } from '../../protocol/errors.ts';
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
  const roots = [workspaceDir, ...allowedRoots];
  const loaded = await Promise.all(taxonomy.files.map((file) => loadSpellings(source, workspaceDir, file, roots)));
  return loaded.flat();
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
    if (read.reason === 'unreadable') throw new UnreadableBootstrapFileError(path, read.detail, { cause: read.cause });
    return { name, path, missing: true };
  });
}

/** A file under its name, then under its other spellings; two spellings of one real file are loaded once. */
async function loadSpellings(
  source: FileSource,
  workspaceDir: string,
  file: TaxonomyFile,
  roots: readonly string[],
): Promise<LoadedFile[]> {
  const spellings = file.alternates ? [file.name, ...file.alternates] : [file.name];
  const candidates = await Promise.all(
    spellings.map(async (name): Promise<LoadedFile> => {
      const path = join(workspaceDir, name);
      return { name, path, read: await source.read(path, roots) };
    }),
  );
  const loaded: LoadedFile[] = [];
  const seen = new Set<string>();
  for (const candidate of candidates) {
    const { read } = candidate;
    if (read.kind === 'text') {
      if (seen.has(read.identity)) continue;
      seen.add(read.identity);
      loaded.push(candidate);
    } else if (file.listed === 'always' || (read.entryExists && loaded.length === 0)) {
      loaded.push(candidate);
    }
  }
  return loaded;
}
