// The file that a person means by `AGENTS.md:12`, and what to say about a file that is not part of the prompt.

import { lstat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import { resolveUserPath } from '../../config/user-path.ts';
import type { Composition } from '../../context/compose.ts';
import type { SourceText } from '../../context/provenance/rope.ts';
import { CachedFileSource, isInside } from '../../context/sources/file-source.ts';
import { TAXONOMIES, type TaxonomyId } from '../../context/taxonomy.ts';

export interface AskedFile {
  readonly path: string;
  readonly lines?: readonly [number, number] | undefined;
  readonly source?: SourceText | undefined;
  readonly lineCount?: number | undefined;
  /** Why the file itself cannot be read, when it cannot. */
  readonly unreadable?: string | undefined;
}

/** Longer than any path that a person would type. */
const MAX_PATH_CHARS = 1_024;

export async function findAskedFile(
  question: string,
  composition: Composition,
  environment: Environment,
): Promise<AskedFile | undefined> {
  if (question.includes('\n') || question.length > MAX_PATH_CHARS) return undefined;
  const match = /^(.+?):(\d+)(?:-(\d+)|:\d+)?$/.exec(question.trim());
  const name = match?.[1] ?? question.trim();
  const path = await findPath(name, composition, environment);
  if (path === undefined) return undefined;
  const read = await new CachedFileSource().read(path, [sep]);
  const first = Number(match?.[2]);
  const lines = match ? ([first, Math.max(first, Number(match[3] ?? first))] as const) : undefined;
  if (read.kind === 'absent') return { path, lines, unreadable: read.detail };
  const lineCount = read.text.split('\n').length - (read.text.endsWith('\n') ? 1 : 0);
  return { path, lines, source: read, lineCount };
}

async function findPath(name: string, { report }: Composition, environment: Environment): Promise<string | undefined> {
  const { home, cwd, stateDir } = environment;
  const { workspaceDir } = report.situation;
  const candidates =
    isAbsolute(name) || /^~(?:$|[\\/])/.test(name)
      ? [resolveUserPath(name, home, cwd)]
      : [join(workspaceDir, name), resolve(cwd, name), join(stateDir, name)];
  const known = new Set([
    ...report.files.map((file) => file.path),
    ...report.absences.flatMap(({ path, what }) => [...(path === undefined ? [] : [path]), what]),
    ...report.spans.flatMap(({ origin }) => (origin.kind === 'product' || !origin.path ? [] : [origin.path])),
  ]);
  const mentioned = candidates.find((path) => known.has(path));
  if (mentioned !== undefined) return mentioned;
  // A file that a rule or a handler made has no place on disk; it is meant as if it stood in the workspace.
  const made = report.files.find((file) => file.name === name || candidates.includes(join(workspaceDir, file.name)));
  if (made) return made.path;
  // A single word may be the name of a file on disk and still be meant as text.
  if (!/[./\\]/.test(name)) return undefined;
  for (const path of candidates) if (await isFile(path)) return path;
  return undefined;
}

async function isFile(path: string): Promise<boolean> {
  try {
    return !(await lstat(path)).isDirectory();
  } catch {
    return false;
  }
}

/** The note for a file, or a line of one, that the composition does not mention. */
export function unknownFileNote(
  { path, unreadable }: AskedFile,
  text: string | undefined,
  { report }: Composition,
  { stateDir }: Environment,
): string {
  const { workspaceDir, taxonomy: taxonomyId, agentId } = report.situation;
  const taxonomy = TAXONOMIES[taxonomyId as TaxonomyId];
  if (unreadable !== undefined) return `The file cannot be read: ${unreadable}.`;
  if (text !== undefined && text.trim() === '') {
    return 'These lines are blank; blank lines at the end of a file are not part of the prompt.';
  }
  const isBootstrapName = taxonomy.files.some(({ name, alternates }) =>
    [name, ...(alternates ?? [])].includes(basename(path)),
  );
  const handler = (id: string) => report.absences.find(({ what }) => what === `handler ${id}`);
  if (dirname(path) === stateDir && isBootstrapName) {
    const off = handler('global-files');
    return off
      ? `This is a global file, and the handler global-files is ${off.detail}.`
      : `This is a global file, and the handler global-files brought nothing of it into this prompt.`;
  }
  const overrides = join(stateDir, 'agents');
  if (isInside(overrides, path) && isBootstrapName) {
    const owner = relative(overrides, path).split(sep)[0];
    const off = handler('agent-overrides');
    if (owner !== agentId) return `This is an override for the agent "${owner}"; this prompt is for "${agentId}".`;
    return off
      ? `This is an override, and the handler agent-overrides is ${off.detail}.`
      : 'This is an override, and the handler agent-overrides brought nothing of it into this prompt.';
  }
  const names = taxonomy.files.map(({ name }) => name).join(', ');
  if (!isInside(workspaceDir, path) && basename(path) !== 'SKILL.md') {
    return `It lies outside the workspace ${workspaceDir}, and no handler or rule brought it into this prompt.`;
  }
  if (basename(path) === 'SKILL.md') {
    return 'Of a skill, only its name, its description and its place are part of a prompt; the agent reads the rest when it needs it.';
  }
  const folder = taxonomy.folders.find((each) => isInside(join(workspaceDir, each), path));
  if (folder) return `Tools may read what is in ${folder}/, but nothing in it is put into a prompt.`;
  if (isBootstrapName && dirname(path) !== workspaceDir) {
    return `Files in folders of the workspace are not loaded by themselves; name it in bootstrap.hooks.bootstrap-extra-files.paths to add it.`;
  }
  return `It is not a file that a prompt is made of; those are ${names}.`;
}
