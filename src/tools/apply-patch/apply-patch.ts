// `apply_patch`: changes several files of the workspace at once, all of them or none. Every path is checked and every
// hunk is found before the first byte is written. If the disk fails after that, the old files are restored.

import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, rename, rm } from 'node:fs/promises';
import { normalize, resolve } from 'node:path';
import { errorText } from '../../protocol/one-line.ts';
import {
  type ContainedTarget,
  openContainedFile,
  openContainedTarget,
  refuse,
  type WorkspacePlace,
} from '../contained-path.ts';
import {
  PatchUndoError,
  ToolFileChangedError,
  ToolFileMissingError,
  ToolFileUnusableError,
  ToolInputError,
} from '../errors.ts';
import { MAX_TEXT_BYTES, readWholeText } from '../file-text.ts';
import type { OneAtATime } from '../one-at-a-time.ts';
import type { WithheldOf } from '../read.ts';
import { replaceFile } from '../replace-file.ts';
import type { Tool } from '../tool.ts';
import { applyHunks } from './apply-hunks.ts';
import { derivedPathsOf, type PatchOperation, parsePatch, type UpdateFile } from './parse-patch.ts';

export interface ApplyPatchOptions {
  /** Shared by all tools that change files, by workspace. */
  readonly writes: OneAtATime;
  readonly withheldOf?: WithheldOf | undefined;
}

interface ApplyPatchParams {
  readonly input: string;
}

/** All texts of one patch are held at once, before and after. */
const MAX_TOTAL_BYTES = 8 * MAX_TEXT_BYTES;

export function createApplyPatchTool({ writes, withheldOf }: ApplyPatchOptions): Tool {
  return {
    name: 'apply_patch',
    description: `Change files of the workspace by a patch, all of them or none. The patch looks like this:
*** Begin Patch
*** Add File: new.txt
+every line of the new file
*** Update File: old.txt
*** Move to: renamed.txt
@@ a line above the change, if the lines below occur more than once
 a line that stays
-a line that goes
+a line that comes
*** Delete File: gone.txt
*** End Patch
Paths are relative to the workspace. Give about three lines that stay around each change. "*** Move to" is optional, and so is "*** End of File" below a hunk that ends the file.`,
    parameters: {
      type: 'object',
      properties: {
        input: { type: 'string', description: 'The whole patch, from "*** Begin Patch" to "*** End Patch".' },
      },
      required: ['input'],
      additionalProperties: false,
    },
    // After a crash, the lines that it changes may be gone already.
    idempotent: false,
    derivedPaths: derivedPathsOf,
    async run(params, context) {
      const { workspaceDir, signal } = context;
      const place = { workspaceDir, withheld: await withheldOf?.(context) };
      const { input } = params as unknown as ApplyPatchParams;
      const bytes = Buffer.byteLength(input);
      if (bytes > MAX_TEXT_BYTES) {
        throw new ToolInputError({
          tool: 'apply_patch',
          problems: [`input has ${bytes} bytes, and at most ${MAX_TEXT_BYTES} are read.`],
        });
      }
      const operations = parsePatch(input);
      const done = await writes.run(workspaceDir, async () => {
        const changes = await planChanges(place, operations, signal);
        await makeChanges(place, changes, signal);
        return changes;
      });
      return {
        content: ['The patch was applied.', ...done.map(describeChange)].join('\n'),
        details: {
          added: done.flatMap((change) => (change.kind === 'add' ? [change.path] : [])),
          modified: done.flatMap((change) => (change.kind === 'update' ? [change.moveTo ?? change.path] : [])),
          deleted: done.flatMap((change) => (change.kind === 'delete' || change.moveTo ? [change.path] : [])),
        },
      };
    },
  };
}

/** What will be done to one file, with what it was planned from. */
interface Change {
  readonly kind: PatchOperation['kind'];
  readonly path: string;
  readonly moveTo?: string | undefined;
  /** Undefined when the file is to be there no more. */
  readonly text?: string | undefined;
  readonly before?: { readonly text?: string; readonly stats: BigIntStats } | undefined;
}

function describeChange({ kind, path, moveTo }: Change): string {
  if (kind === 'add') return `A ${path}`;
  if (kind === 'delete') return `D ${path}`;
  return moveTo === undefined ? `M ${path}` : `M ${path} -> ${moveTo}`;
}

/** Writes nothing. */
async function planChanges(
  place: WorkspacePlace,
  operations: readonly PatchOperation[],
  signal: AbortSignal,
): Promise<readonly Change[]> {
  const seen = new Set<string>();
  const meet = (path: string, key: string) => {
    if (seen.has(key))
      throw new ToolFileUnusableError({ path, problem: 'the patch names it twice; put all of its hunks together' });
    seen.add(key);
  };
  const changes: Change[] = [];
  let bytes = 0;
  for (const operation of operations) {
    signal.throwIfAborted();
    const { path } = operation;
    const moveTo = operation.kind === 'update' ? operation.moveTo : undefined;
    for (const named of moveTo === undefined ? [path] : [path, moveTo])
      meet(named, resolve(place.workspaceDir, normalize(named)));
    const change = await planChange(place, operation);
    // Two names may lead to one file.
    if (change.before) meet(path, `${change.before.stats.dev}:${change.before.stats.ino}`);
    bytes += Buffer.byteLength(change.text ?? '') + Buffer.byteLength(change.before?.text ?? '');
    if (bytes > MAX_TOTAL_BYTES) {
      throw new ToolInputError({
        tool: 'apply_patch',
        problems: [`The files of one patch hold at most ${MAX_TOTAL_BYTES} bytes together.`],
      });
    }
    changes.push(change);
  }
  return changes;
}

async function planChange(place: WorkspacePlace, operation: PatchOperation): Promise<Change> {
  const { kind, path } = operation;
  if (kind === 'add') {
    await refuseIfThere(place, path);
    const text = operation.lines.map((line) => `${line}\n`).join('');
    return { kind, path, text: boundText(path, text) };
  }
  if (kind === 'delete') return { kind, path, before: { stats: await statsOf(place, path) } };
  return planUpdate(place, operation);
}

async function planUpdate(place: WorkspacePlace, { kind, path, moveTo, hunks }: UpdateFile): Promise<Change> {
  if (moveTo !== undefined) {
    await statsOf(place, path);
    await refuseIfThere(place, moveTo);
  }
  const file = await openContainedFile(place, path);
  const before = await readWholeText(path, file).finally(() => file.handle.close());
  const text = boundText(path, applyHunks(path, before, hunks));
  return { kind, path, moveTo, text, before: { text: before, stats: file.stats } };
}

function boundText(path: string, text: string): string {
  if (Buffer.byteLength(text) <= MAX_TEXT_BYTES) return text;
  throw new ToolFileUnusableError({ path, problem: `it would grow beyond ${MAX_TEXT_BYTES} bytes` });
}

/** A folder may be missing, because it is made later; the path is checked anyway. */
async function refuseIfThere(place: WorkspacePlace, path: string): Promise<void> {
  if (/[/\\]$/.test(path))
    throw new ToolFileUnusableError({ path, problem: 'it names a directory; add the name of a file' });
  try {
    const { folder, stats } = await openContainedTarget(place, path, { createFolders: false });
    await folder.close();
    if (stats) throw new ToolFileUnusableError({ path, problem: 'it is there already; update it instead' });
  } catch (error) {
    if (!(error instanceof ToolFileMissingError)) throw error;
  }
}

/** Of a file that will go away. A link is not followed: what it leads to has another name, which the patch does not mention. */
async function statsOf(place: WorkspacePlace, path: string): Promise<BigIntStats> {
  const { folder, stats } = await openContainedTarget(place, path, { createFolders: false });
  await folder.close();
  if (!stats) throw new ToolFileMissingError({ path });
  const named = await lstat(resolve(place.workspaceDir, path), { bigint: true }).catch((error) => refuse(path, error));
  if (named.isSymbolicLink())
    throw new ToolFileUnusableError({ path, problem: 'it is a link; name the file that it leads to' });
  if ((stats.mode & 0o222n) === 0n) throw new ToolFileUnusableError({ path, problem: 'it is marked read-only' });
  return stats;
}

/** How to undo a step, except for new folders, and what is left to do when no step can fail any more. */
interface Step {
  readonly path: string;
  undo(): Promise<void>;
  settle(): Promise<void>;
}

async function makeChanges(place: WorkspacePlace, changes: readonly Change[], signal: AbortSignal): Promise<void> {
  const steps: Step[] = [];
  try {
    for (const change of changes) {
      signal.throwIfAborted();
      const { path, moveTo, text, before } = change;
      if (text !== undefined) steps.push(await writeStep(place, change, text, signal));
      if (before && (text === undefined || moveTo !== undefined))
        steps.push(await removeStep(place, path, before.stats));
    }
  } catch (error) {
    await undoAll(steps, error);
    throw error;
  }
  for (const step of steps) await step.settle();
}

async function undoAll(steps: readonly Step[], cause: unknown): Promise<void> {
  const stuck: string[] = [];
  for (const step of [...steps].reverse()) {
    await step.undo().catch(() => stuck.push(step.path));
  }
  const problem = errorText(cause);
  if (stuck.length > 0) throw new PatchUndoError({ paths: stuck, problem }, { cause });
}

async function writeStep(
  place: WorkspacePlace,
  { path, moveTo, before }: Change,
  text: string,
  signal: AbortSignal,
): Promise<Step> {
  const to = moveTo ?? path;
  const isNew = before === undefined || moveTo !== undefined;
  const target = await openContainedTarget(place, to, { createFolders: isNew });
  try {
    if (isNew && target.stats) throw new ToolFileChangedError({ path: to });
    // A file that moves takes its mode along.
    const stats = moveTo === undefined ? target.stats : before?.stats;
    await replaceFile({ ...target, stats }, to, text, { signal, expected: isNew ? undefined : before?.stats });
  } finally {
    await target.folder.close();
  }
  const undo = async () => {
    const written = await openContainedTarget(place, to, { createFolders: false });
    try {
      if (isNew) await rm(written.folder.at(written.name));
      else await replaceFile(written, to, before?.text ?? '', { signal: new AbortController().signal });
    } finally {
      await written.folder.close();
    }
  };
  return { path: to, undo, settle: async () => undefined };
}

/** The file is first renamed to a random name, so that it can be restored. */
async function removeStep(place: WorkspacePlace, path: string, expected: BigIntStats): Promise<Step> {
  const target = await openContainedTarget(place, path, { createFolders: false });
  const { folder, name, stats } = target;
  const aside = folder.at(`.atrium-${randomBytes(8).toString('hex')}.tmp`);
  try {
    if (!isSameFile(target, expected))
      throw stats ? new ToolFileChangedError({ path }) : new ToolFileMissingError({ path });
    await folder.confirm(path);
    await rename(folder.at(name), aside).catch((error) => refuse(path, error));
  } catch (error) {
    await folder.close();
    throw error;
  }
  return {
    path,
    undo: () => rename(aside, folder.at(name)).finally(() => folder.close()),
    settle: async () => {
      // The patch is applied by now, and an error here does not change that.
      await rm(aside, { force: true }).catch(() => undefined);
      await folder.sync();
      await folder.close();
    },
  };
}

function isSameFile({ stats }: ContainedTarget, expected: BigIntStats): boolean {
  return (
    stats !== undefined &&
    (['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const).every((k) => stats[k] === expected[k])
  );
}
