// Reads a bundle that was made on any machine. A bundle is untrusted: paths are checked and contained, links are not
// followed, sizes are bounded, and a file is shown only when its bytes have the hash that the manifest names.
//
// Errors: throws BundleUnreadableError when there is no manifest that can be used. What is wrong with single files is
// data: `problems` names each of them.

import { createHash } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { type FileHandle, lstat, open, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, parseJson } from '../../protocol/json.ts';
import { sha256Of } from '../../protocol/sha256-of.ts';
import { BundleUnreadableError } from '../errors.ts';
import {
  BUNDLE_LIMITS,
  BUNDLE_SCHEMA,
  BUNDLE_VERSION,
  type BundleManifest,
  INCOMPLETE_SUFFIX,
  isBundlePath,
  MANIFEST_FILE,
} from './bundle-format.ts';

export interface OpenedBundle {
  readonly dir: string;
  readonly manifest: BundleManifest;
  readonly problems: readonly BundleProblem[];
  /** The text of a file, or undefined when it is not in the bundle as the manifest says. */
  read(name: string): Promise<string | undefined>;
}

export interface BundleProblem {
  readonly path: string;
  readonly problem: 'missing' | 'changed' | 'not a regular file' | 'not in the manifest' | 'too large';
}

export async function openBundle(given: string): Promise<OpenedBundle> {
  const dir = await folderOf(given);
  if (dir.endsWith(INCOMPLETE_SUFFIX)) throw unreadable(given, 'it was not written to its end; export it again');
  const manifest = await readManifest(dir, given);
  const known = new Map(manifest.files.map((file) => [file.path, file]));
  const problems: BundleProblem[] = [];
  for (const file of manifest.files) {
    const problem = await examine(dir, file);
    if (problem) problems.push({ path: file.path, problem });
  }
  for (const name of await namesIn(dir)) {
    if (name !== MANIFEST_FILE && !known.has(name)) problems.push({ path: name, problem: 'not in the manifest' });
  }
  return {
    dir,
    manifest,
    problems,
    read: async (name) => {
      const file = known.get(name);
      if (!file || file.size > BUNDLE_LIMITS.shownBytes) return undefined;
      const bytes = await withFile(dir, name, (handle) => readUpTo(handle, BUNDLE_LIMITS.shownBytes));
      if (!(bytes instanceof Buffer) || sha256Of(bytes) !== file.sha256) return undefined;
      return bytes.toString('utf8');
    },
  };
}

async function folderOf(given: string): Promise<string> {
  const found = await realpath(given).catch(() => undefined);
  if (found === undefined) throw unreadable(given, 'there is nothing there');
  const stat = await lstat(found);
  if (!stat.isDirectory()) throw unreadable(given, 'it is not a folder; unpack it first if it is an archive');
  return found;
}

async function readManifest(dir: string, given: string): Promise<BundleManifest> {
  const bytes = await withFile(dir, MANIFEST_FILE, (handle) => readUpTo(handle, BUNDLE_LIMITS.manifestBytes));
  if (bytes === undefined) throw unreadable(given, `it has no ${MANIFEST_FILE}`);
  if (typeof bytes === 'string') throw unreadable(given, `its ${MANIFEST_FILE} is ${bytes}`);
  const { z } = await import('zod');
  const name = z.string().max(BUNDLE_LIMITS.pathLength).refine(isBundlePath, 'is no path inside of a bundle');
  const text = z.string().max(4_096);
  const schema = z.object({
    schema: z.literal(BUNDLE_SCHEMA),
    schemaVersion: z.literal(BUNDLE_VERSION),
    createdAt: text,
    sessionKey: text,
    sessionIds: z.array(text).max(100_000),
    isRedacted: z.boolean(),
    versions: z.object({ atrium: text, node: text, platform: text, arch: text }),
    runs: z
      .array(z.object({ runId: text, dir: name, status: text, startedAt: z.number(), endedAt: z.number().nullable() }))
      .max(BUNDLE_LIMITS.files),
    missing: z.array(text).max(BUNDLE_LIMITS.files),
    files: z
      .array(
        z.object({
          path: name,
          size: z.int().min(0).max(BUNDLE_LIMITS.fileBytes),
          sha256: z.string().regex(/^[0-9a-f]{64}$/),
        }),
      )
      .max(BUNDLE_LIMITS.files),
  });
  const told = parseJson(bytes.toString('utf8'));
  if (!isJsonObject(told)) throw unreadable(given, `its ${MANIFEST_FILE} is damaged: it holds no object of JSON`);
  if (told.schema === BUNDLE_SCHEMA && typeof told.schemaVersion === 'number' && told.schemaVersion > BUNDLE_VERSION)
    throw unreadable(given, 'it was made by a newer version of Atrium; open it with that one');
  const parsed = schema.safeParse(told);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw unreadable(
    given,
    `its ${MANIFEST_FILE} cannot be used (${issue?.path.join('.') || 'all of it'}: ${issue?.message})`,
  );
}

async function examine(
  dir: string,
  { path: name, size, sha256 }: BundleManifest['files'][number],
): Promise<BundleProblem['problem'] | undefined> {
  const found = await withFile(dir, name, async (handle) => {
    const { size: actual } = await handle.stat();
    if (actual !== size) return 'changed';
    const hash = createHash('sha256');
    let read = 0;
    for await (const chunk of handle.createReadStream({ autoClose: false, end: size })) {
      hash.update(chunk as Buffer);
      read += (chunk as Buffer).length;
    }
    return read === size && hash.digest('hex') === sha256 ? 'same' : 'changed';
  });
  if (found === undefined) return 'missing';
  return found === 'same' ? undefined : found;
}

/**
 * Opens a file of the bundle. Gives undefined when there is none, and says so when it is no regular file inside of the
 * folder, whatever links lead there.
 */
async function withFile<Value>(
  dir: string,
  name: string,
  work: (handle: FileHandle) => Promise<Value>,
): Promise<Value | 'not a regular file' | undefined> {
  const file = path.join(dir, name);
  const real = await realpath(file).catch(() => undefined);
  if (real === undefined) return (await lstat(file).catch(() => undefined)) ? 'not a regular file' : undefined;
  if (real !== file) return 'not a regular file';
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  // Without blocking, a pipe in the place of a file cannot hold the reader up.
  const handle = await open(file, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0)).catch(() => undefined);
  if (!handle) return 'not a regular file';
  try {
    return (await handle.stat()).isFile() ? await work(handle) : 'not a regular file';
  } finally {
    await handle.close();
  }
}

async function readUpTo(handle: FileHandle, limit: number): Promise<Buffer | 'too large'> {
  const { size } = await handle.stat();
  if (size > limit) return 'too large';
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, 0);
  return buffer.subarray(0, bytesRead);
}

/** Every file below the folder. Links are named and not followed. */
async function namesIn(dir: string): Promise<readonly string[]> {
  const names: string[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined && names.length < BUNDLE_LIMITS.files; folder = folders.pop()) {
    const entries: Dirent[] = await readdir(path.join(dir, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) names.push(name);
      else if (name.split('/').length < 16) folders.push(name);
    }
  }
  return names;
}

function unreadable(dir: string, reason: string): BundleUnreadableError {
  return new BundleUnreadableError({ dir, reason });
}
