// The runtime state of a workspace: whether its first run was begun and whether it is complete. It lives in
// `.openclaw/workspace-state.json`, so that an existing home is understood and a workspace keeps its status when it is
// moved. A file that cannot be understood says nothing, which means: not complete.

import { randomUUID } from 'node:crypto';
import { mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DEFAULT_BOOTSTRAP_FILENAME } from '../../protocol/bootstrap-file.ts';
import { WorkspaceNotFoundError, WorkspaceNotWritableError, WorkspaceStateOutsideError } from '../errors.ts';
import { isInside } from '../sources/file-source.ts';
import { openRegularFile } from './open-regular-file.ts';

export interface WorkspaceState {
  readonly version: 1;
  /** When BOOTSTRAP.md was written or first seen. */
  readonly bootstrapSeededAt?: string;
  /** When the first run ended. From then on BOOTSTRAP.md is an optional left-over. */
  readonly setupCompletedAt?: string;
}

export type FirstRunStatus = 'pending' | 'complete';

/** Anything larger was not written by us or by OpenClaw. */
const MAX_STATE_BYTES = 64 * 1024;

export async function loadWorkspaceState(dir: string): Promise<WorkspaceState> {
  return parseWorkspaceState(await readStateText(dir)).state;
}

export function isSetupCompleted(state: WorkspaceState): boolean {
  return state.setupCompletedAt !== undefined;
}

/** For callers that read the state file through their own cache. */
export function isCompletedStateText(text: string): boolean {
  return isSetupCompleted(parseWorkspaceState(text).state);
}

/** A workspace without BOOTSTRAP.md has no first run, even if its state says otherwise. */
export async function loadFirstRunStatus(dir: string): Promise<FirstRunStatus> {
  if (isSetupCompleted(await loadWorkspaceState(dir))) return 'complete';
  return (await hasBootstrapFile(dir)) ? 'pending' : 'complete';
}

/** Ends the first run and leaves BOOTSTRAP.md where it is. Doing so twice keeps the first date. */
export async function completeFirstRun(dir: string, now: Date): Promise<WorkspaceState> {
  const isDirectory = await stat(dir).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
  if (!isDirectory) throw new WorkspaceNotFoundError({ dir });
  return recordWorkspaceState(dir, { setupCompletedAt: now.toISOString() });
}

/** Adds facts to the state. Recorded facts stay: a date is set once. */
export async function recordWorkspaceState(
  dir: string,
  facts: Omit<WorkspaceState, 'version'>,
): Promise<WorkspaceState> {
  const { version, ...onRecord } = await loadWorkspaceState(dir);
  const state: WorkspaceState = { version, ...facts, ...onRecord };
  await saveWorkspaceState(dir, state);
  return state;
}

/** Loads the state and, when it is still in the older form, writes it in the current form. */
export async function migrateWorkspaceState(dir: string): Promise<WorkspaceState> {
  const { state, isLegacy } = parseWorkspaceState(await readStateText(dir));
  if (isLegacy) await saveWorkspaceState(dir, state);
  return state;
}

export async function hasBootstrapFile(dir: string): Promise<boolean> {
  return stat(join(dir, DEFAULT_BOOTSTRAP_FILENAME)).then(
    (entry) => entry.isFile(),
    () => false,
  );
}

interface ParsedWorkspaceState {
  readonly state: WorkspaceState;
  readonly isLegacy: boolean;
}

function parseWorkspaceState(text: string | undefined): ParsedWorkspaceState {
  const fields = parseObject(text);
  const seeded = dateText(fields.bootstrapSeededAt);
  const completed = dateText(fields.setupCompletedAt);
  const legacy = dateText(fields.onboardingCompletedAt);
  const completedAt = completed ?? legacy;
  return {
    state: {
      version: 1,
      ...(seeded === undefined ? {} : { bootstrapSeededAt: seeded }),
      ...(completedAt === undefined ? {} : { setupCompletedAt: completedAt }),
    },
    isLegacy: completed === undefined && legacy !== undefined,
  };
}

function parseObject(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function dateText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

async function readStateText(dir: string): Promise<string | undefined> {
  const path = workspaceStatePath(dir);
  try {
    if (!(await isStateContained(dir))) return undefined;
    const handle = await openRegularFile(path);
    if (handle === undefined) return undefined;
    try {
      const bytes = Buffer.alloc(MAX_STATE_BYTES + 1);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
      return bytesRead > MAX_STATE_BYTES ? undefined : bytes.toString('utf8', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

/**
 * The file is written under another name and renamed, so that a reader sees the old state or the new one, never half of
 * either.
 */
async function saveWorkspaceState(dir: string, state: WorkspaceState): Promise<void> {
  const path = workspaceStatePath(dir);
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true });
    if (!(await isStateContained(dir))) throw new WorkspaceStateOutsideError({ dir, path: dirname(path) });
    await writeFile(draft, `${JSON.stringify(state, null, 2)}\n`, { flag: 'wx', mode: 0o600 });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    if (error instanceof WorkspaceStateOutsideError) throw error;
    throw new WorkspaceNotWritableError({ dir, path }, { cause: error });
  }
}

async function isStateContained(dir: string): Promise<boolean> {
  return isInside(await realpath(dir), await realpath(dirname(workspaceStatePath(dir))));
}

export function workspaceStatePath(dir: string): string {
  return join(dir, '.openclaw', 'workspace-state.json');
}
