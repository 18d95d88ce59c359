// Creates an agent's workspace and begins its first run. The one place in composition that writes files, under three
// promises: an existing file is never changed, nothing is written through a link, and nothing is ever deleted. Needs no
// network, no model and no key; knows no home directory and no clock.

import { open, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DEFAULT_BOOTSTRAP_FILENAME } from '../../protocol/bootstrap-file.ts';
import { WorkspaceNotDirectoryError, WorkspaceNotWritableError } from '../errors.ts';
import { canonicalFileName, OPENCLAW_TAXONOMY, type Taxonomy } from '../taxonomy.ts';
import { initRepository } from './init-repository.ts';
import { makeFolder } from './make-folder.ts';
import { openRegularFile } from './open-regular-file.ts';
import { PROFILE_FILES, WORKSPACE_TEMPLATES } from './templates/workspace-templates.ts';
import {
  type FirstRunStatus,
  hasBootstrapFile,
  isSetupCompleted,
  loadFirstRunStatus,
  migrateWorkspaceState,
  recordWorkspaceState,
} from './workspace-state.ts';

export interface EnsureAgentWorkspaceParams {
  /** The path is already resolved: no `~` is expanded here. */
  readonly dir: string;
  readonly now: Date;
  readonly taxonomy?: Taxonomy | undefined;
  /** False creates the directory and nothing else. */
  readonly ensureBootstrapFiles?: boolean | undefined;
  /** Optional files to leave out; required ones are written all the same. */
  readonly skipOptionalBootstrapFiles?: readonly string[] | undefined;
  /** What to do with a brand-new workspace; `git init` unless said otherwise, `false` for nothing. */
  readonly initRepository?: ((dir: string) => Promise<void>) | false | undefined;
}

/** Where the files are, under the contract's names: `agentsPath` is AGENT.md and `soulPath` PROFILE.md in openboa. */
export interface AgentWorkspace {
  readonly dir: string;
  readonly agentsPath?: string;
  readonly soulPath?: string;
  readonly mandatePath?: string;
  readonly toolsPath?: string;
  readonly identityPath?: string;
  readonly userPath?: string;
  readonly heartbeatPath?: string;
  readonly bootstrapPath?: string;
  readonly identityPathCreated?: boolean;
}

export async function ensureAgentWorkspace(params: EnsureAgentWorkspaceParams): Promise<AgentWorkspace> {
  const { dir, created } = await seedWorkspace(params);
  if (params.ensureBootstrapFiles === false) return { dir };
  const taxonomy = params.taxonomy ?? OPENCLAW_TAXONOMY;
  const paths: Record<string, string> = {};
  for (const [key, name] of Object.entries(PATH_KEYS)) {
    const file = canonicalFileName(taxonomy, name);
    if (taxonomy.files.some((candidate) => candidate.name === file)) paths[key] = join(dir, file);
  }
  return { dir, ...paths, identityPathCreated: created.includes('IDENTITY.md') };
}

export interface SeededWorkspace {
  readonly dir: string;
  /** Names of the files that did not exist before. */
  readonly created: readonly string[];
  readonly firstRun: FirstRunStatus;
}

/** The same work, told as what happened rather than as where the files are. Running it again changes nothing. */
export async function seedWorkspace(params: EnsureAgentWorkspaceParams): Promise<SeededWorkspace> {
  const dir = resolve(params.dir);
  const taxonomy = params.taxonomy ?? OPENCLAW_TAXONOMY;
  await createDirectory(dir);
  if (params.ensureBootstrapFiles === false) return { dir, created: [], firstRun: await loadFirstRunStatus(dir) };

  const found = await surveyWorkspace(dir, taxonomy);
  const created = await writeMissingTemplates(dir, taxonomy, params.skipOptionalBootstrapFiles ?? []);
  if (await beginFirstRun(dir, taxonomy, found, params.now)) created.push(DEFAULT_BOOTSTRAP_FILENAME);
  if (found.isBrandNew && params.initRepository !== false) await (params.initRepository ?? initRepository)(dir);
  return { dir, created, firstRun: await loadFirstRunStatus(dir) };
}

const PATH_KEYS: Readonly<Record<string, string>> = {
  agentsPath: 'AGENTS.md',
  soulPath: 'SOUL.md',
  mandatePath: 'MANDATE.md',
  toolsPath: 'TOOLS.md',
  identityPath: 'IDENTITY.md',
  userPath: 'USER.md',
  heartbeatPath: 'HEARTBEAT.md',
  bootstrapPath: 'BOOTSTRAP.md',
};

/** The state of the workspace before this code changed it. */
interface WorkspaceSurvey {
  readonly isBrandNew: boolean;
  /** True when a person has described the agent, or the agent has begun to remember. */
  readonly isLivedIn: boolean;
  readonly hasRepository: boolean;
}

async function surveyWorkspace(dir: string, taxonomy: Taxonomy): Promise<WorkspaceSurvey> {
  const names = new Set(await readdir(dir).catch((cause) => failToWrite(dir, dir, cause)));
  const seeded = templatedFiles(taxonomy);
  const kept = taxonomy.files.filter((file) => file.listed === 'when-present').map((file) => file.name);
  const isRemembering = [...taxonomy.folders, ...kept].some((name) => names.has(name));
  const hasRepository = names.has('.git');
  return {
    isBrandNew: !isRemembering && !hasRepository && !seeded.some((file) => names.has(file.name)),
    isLivedIn: isRemembering || (await isProfileEdited(dir, taxonomy, names)),
    hasRepository,
  };
}

async function isProfileEdited(dir: string, taxonomy: Taxonomy, names: ReadonlySet<string>): Promise<boolean> {
  for (const name of PROFILE_FILES[taxonomy.id]) {
    const template = WORKSPACE_TEMPLATES[taxonomy.id][name] ?? '';
    if (names.has(name) && !(await isUntouched(join(dir, name), template))) return true;
  }
  return false;
}

/** The beginning of a template counts as unchanged, because another process may be writing it at this moment. */
async function isUntouched(path: string, template: string): Promise<boolean> {
  try {
    const handle = await openRegularFile(path);
    if (handle === undefined) return false;
    try {
      const bytes = Buffer.alloc(Buffer.byteLength(template) + 1);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
      return template.startsWith(bytes.toString('utf8', 0, bytesRead));
    } finally {
      await handle.close();
    }
  } catch {
    return false;
  }
}

async function writeMissingTemplates(dir: string, taxonomy: Taxonomy, skipped: readonly string[]): Promise<string[]> {
  const created: string[] = [];
  for (const { name, required, template } of templatedFiles(taxonomy)) {
    if (!required && skipped.includes(name)) continue;
    if (await writeIfMissing(dir, name, template)) created.push(name);
  }
  return created;
}

/**
 * Decides what the first run is and records it; true when BOOTSTRAP.md was written. The state is read after the survey
 * and before the file, the reverse of the order in which another process writes them, so that two processes at once
 * agree.
 */
async function beginFirstRun(dir: string, taxonomy: Taxonomy, found: WorkspaceSurvey, now: Date): Promise<boolean> {
  const state = await migrateWorkspaceState(dir);
  if (isSetupCompleted(state)) return false;
  const date = now.toISOString();
  if (await hasBootstrapFile(dir)) {
    // A recorded first run ends by its own rules, even if the agent writes files in the meantime.
    if (state.bootstrapSeededAt !== undefined) return false;
    const completed = found.isLivedIn ? { setupCompletedAt: date } : {};
    await recordWorkspaceState(dir, { bootstrapSeededAt: date, ...completed });
    return false;
  }
  if (state.bootstrapSeededAt !== undefined || found.isLivedIn || found.hasRepository) {
    await recordWorkspaceState(dir, { setupCompletedAt: date });
    return false;
  }
  const template = WORKSPACE_TEMPLATES[taxonomy.id][DEFAULT_BOOTSTRAP_FILENAME] ?? '';
  const written = await writeIfMissing(dir, DEFAULT_BOOTSTRAP_FILENAME, template);
  if (await hasBootstrapFile(dir)) await recordWorkspaceState(dir, { bootstrapSeededAt: date });
  return written;
}

function templatedFiles(taxonomy: Taxonomy): { name: string; required: boolean; template: string }[] {
  return taxonomy.files.flatMap(({ name, required, firstRun }) => {
    const template = WORKSPACE_TEMPLATES[taxonomy.id][name];
    return template === undefined || firstRun ? [] : [{ name, required, template }];
  });
}

async function createDirectory(dir: string): Promise<void> {
  try {
    await makeFolder(dir);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Everything is created except the target of a dead link, and what is below a folder that takes none.
    if (['EEXIST', 'ENOTDIR', 'ENOENT', 'ELOOP'].includes(code ?? ''))
      throw new WorkspaceNotDirectoryError({ dir }, { cause: error });
    failToWrite(dir, dir, error);
  }
}

/** Exclusive creation fails on any entry of that name, a dangling link included, so nothing is written through one. */
async function writeIfMissing(dir: string, name: string, text: string): Promise<boolean> {
  const path = join(dir, name);
  const handle = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined;
    return failToWrite(dir, path, error);
  });
  if (handle === undefined) return false;
  try {
    await handle.writeFile(text);
    return true;
  } catch (error) {
    // A full disk must not leave half a template, which would then be kept for ever. This process has just created the
    // file.
    await rm(path, { force: true }).catch(() => undefined);
    return failToWrite(dir, path, error);
  } finally {
    await handle.close();
  }
}

function failToWrite(dir: string, path: string, cause: unknown): never {
  throw new WorkspaceNotWritableError({ dir, path }, { cause });
}
