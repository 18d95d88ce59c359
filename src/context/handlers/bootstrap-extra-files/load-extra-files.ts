// Loads bootstrap files from below the workspace, by path or pattern. Only recognised base names are loaded, so
// arbitrary files cannot be smuggled into a prompt, and every path is contained after links are followed.

import { basename, join, relative, resolve } from 'node:path';
import type { WorkspaceBootstrapFile } from '../../../protocol/bootstrap-file.ts';
import { type FileRead, type FileSource, isInside } from '../../sources/file-source.ts';
import { OPENCLAW_TAXONOMY, type Taxonomy } from '../../taxonomy.ts';

export interface ExtraFileDiagnostic {
  readonly path: string;
  readonly reason: 'invalid-bootstrap-filename' | 'missing' | 'security' | 'io' | 'too-many';
  readonly detail: string;
}

export interface ExtraFiles {
  readonly files: readonly (WorkspaceBootstrapFile & { readonly read: FileRead & { kind: 'text' } })[];
  readonly diagnostics: readonly ExtraFileDiagnostic[];
}

/** A pattern that matches more files than this is a mistake, and reading them all would stall the run. */
const MAX_MATCHES = 200;

export async function loadExtraBootstrapFiles(
  files: FileSource,
  workspaceDir: string,
  patterns: readonly string[],
  taxonomy: Taxonomy = OPENCLAW_TAXONOMY,
): Promise<ExtraFiles> {
  const matches = await Promise.all(patterns.map((pattern) => expandPattern(workspaceDir, pattern)));
  const paths = [...new Set(matches.flatMap((match) => match.paths))];
  const tooMany = matches.flatMap((match) => match.tooMany ?? []);
  const results = await Promise.all(paths.map((path) => loadExtraFile(files, workspaceDir, path, taxonomy)));
  return {
    files: results.flatMap((result) => ('read' in result ? [result] : [])),
    diagnostics: [...results.flatMap((result) => ('read' in result ? [] : [result])), ...tooMany],
  };
}

async function loadExtraFile(
  files: FileSource,
  workspaceDir: string,
  path: string,
  taxonomy: Taxonomy,
): Promise<ExtraFiles['files'][number] | ExtraFileDiagnostic> {
  const name = basename(path);
  if (!taxonomy.files.some((known) => known.name === name)) {
    return { path, reason: 'invalid-bootstrap-filename', detail: `unsupported bootstrap basename: ${name}` };
  }
  if (!isInside(resolve(workspaceDir), path)) return { path, reason: 'security', detail: 'outside the workspace' };
  const read = await files.read(path, [workspaceDir]);
  if (read.kind === 'text') return { name, path, content: read.text, missing: false, read };
  return { path, reason: reasonOf(read), detail: read.detail };
}

function reasonOf(read: FileRead & { kind: 'absent' }): ExtraFileDiagnostic['reason'] {
  if (read.reason === 'unreadable') return 'io';
  // Something of that name is there and may not be used; that is not the same as nothing being there.
  return read.reason === 'missing' && !read.entryExists ? 'missing' : 'security';
}

interface PatternMatches {
  readonly paths: readonly string[];
  readonly tooMany?: ExtraFileDiagnostic;
}

async function expandPattern(workspaceDir: string, pattern: string): Promise<PatternMatches> {
  const downward = relativePattern(workspaceDir, pattern);
  // A pattern that climbs out would search the whole disk for files that may not be used anyway.
  if (!/[*?{]/.test(pattern) || CLIMBS.test(downward)) return { paths: [resolve(workspaceDir, pattern)] };
  const { glob } = await import('tinyglobby');
  const matches = await glob(downward, {
    cwd: workspaceDir,
    dot: false,
    expandDirectories: false,
    followSymbolicLinks: false,
    ignore: ['**/node_modules/**', '**/.git/**'],
  });
  const paths = matches.sort().map((match) => join(workspaceDir, match));
  if (paths.length <= MAX_MATCHES) return { paths };
  const detail = `${paths.length} files match; the first ${MAX_MATCHES} are used`;
  return { paths: paths.slice(0, MAX_MATCHES), tooMany: { path: pattern, reason: 'too-many', detail } };
}

const CLIMBS = /(?:^|[/\\{,])\.\.(?:[/\\},]|$)/;

/** Patterns look downward from the workspace, also when they are written as absolute paths. */
function relativePattern(workspaceDir: string, pattern: string): string {
  return pattern.startsWith('/') ? relative(workspaceDir, pattern) : pattern;
}
