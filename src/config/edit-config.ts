// Writes one value into a configuration file, for a command that asked for it. Everything else in the file stays, above
// all the comments. The new text is parsed first, and written only if the wanted value is its only change.

import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync } from 'node:fs';
import { chmod, mkdir, open, realpath, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type ConfigDraft, type ConfigLocation, loadConfigFiles } from './config-files.ts';
import {
  type ConfigPath,
  depthOf,
  formatConfigPath,
  obstacleOn,
  valueAt,
  withoutValueAt,
  withValueAt,
} from './config-path.ts';
import { type ConfigSource, loadConfigSource, parseConfigSource } from './config-source.ts';
import { ConfigEditError, ConfigManagedError } from './errors.ts';
import { isPlainObject } from './plain-object.ts';

/** Called with the new text before it is written; when it rejects, nothing is. */
export type ConfigCheck = (draft: ConfigDraft) => Promise<unknown>;

/** Sets the value at `at` in `file`. The file and the objects around the value are created if they are missing. */
export async function setConfigValue(
  file: string,
  at: ConfigPath,
  value: unknown,
  check?: ConfigCheck | undefined,
): Promise<void> {
  await editConfigFile(file, () => ({ at, value }), check);
}

/** Sets several values in one replacement of the file: all of them, or none. */
export async function setConfigValues(
  file: string,
  edits: readonly Edit[],
  check?: ConfigCheck | undefined,
): Promise<void> {
  const change = async (source: ConfigSource) => {
    let edited = source;
    for (const { at, value } of edits) {
      const text = await editedText(edited, at, value);
      edited = await parseConfigSource(source.file, text);
    }
    return edited.text;
  };
  await changeConfigFile(file, edits[0]?.at ?? [], change, check);
}

/** Adds `value` at the end of the list at `at`, which is created if it is missing. */
export async function appendConfigValue(file: string, at: ConfigPath, value: unknown): Promise<void> {
  await editConfigFile(file, (current) => {
    const list = valueAt(current, at);
    return { at: [...at, Array.isArray(list) ? list.length : 0], value };
  });
}

/** Removes the member or the item at `at`. Returns false when the file has no such value. */
export async function removeConfigValue(
  file: string,
  at: ConfigPath,
  check?: ConfigCheck | undefined,
): Promise<boolean> {
  const source = await loadConfigSource(file);
  if (!source || valueAt(source.value, at) === undefined) return false;
  await changeConfigFile(file, at, (current) => removedText(current, at), check);
  return true;
}

/** Replaces the whole text of a file that said `before`; undefined stands for a file that was not there. */
export async function writeConfigText({ file, text }: ConfigDraft, before: string | undefined): Promise<void> {
  const target = await realpath(file).catch(() => file);
  if (await replaceFile(target, before, text)) return;
  throw new ConfigEditError({ file, path: formatConfigPath([]), detail: 'another program has changed the file' });
}

/** The same file for a command that changes it. Rejects with ConfigManagedError where no command may do that. */
export async function resolveConfigFileToEdit(location: ConfigLocation, at: ConfigPath): Promise<string> {
  const file = await resolveConfigFileOf(location, at);
  if (location.environment.isConfigManaged) throw new ConfigManagedError({ file, path: formatConfigPath(at) });
  return file;
}

/**
 * Returns the file in which a change at `at` takes effect: the file that has the value, or that would be read first.
 */
export async function resolveConfigFileOf(location: ConfigLocation, at: ConfigPath): Promise<string> {
  const strongestFirst = (await loadConfigFiles(location)).sources.toReversed();
  let best: { file: string; depth: number } | undefined;
  for (const { file, value } of strongestFirst) {
    const depth = depthOf(value, at);
    // A file that has the value, or that has something else than an object on the way to it, hides what weaker files
    // say.
    if (depth === at.length || (depth > 0 && !isPlainObject(valueAt(value, at.slice(0, depth))))) return file;
    if (best === undefined || depth > best.depth) best = { file, depth };
  }
  return best?.file ?? location.environment.configPath;
}

export interface Edit {
  readonly at: ConfigPath;
  readonly value: unknown;
}

const ATTEMPTS = 5;

async function editConfigFile(
  file: string,
  edit: (current: unknown) => Edit,
  check?: ConfigCheck | undefined,
): Promise<void> {
  const change = (source: ConfigSource) => {
    const { at, value } = edit(source.value);
    return editedText(source, at, value);
  };
  await changeConfigFile(file, edit({}).at, change, check);
}

async function changeConfigFile(
  file: string,
  at: ConfigPath,
  change: (source: ConfigSource) => Promise<string>,
  check?: ConfigCheck | undefined,
): Promise<void> {
  // A symbolic link stays a link: the file that it points to is replaced.
  const target = await realpath(file).catch(() => file);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const source = await loadConfigSource(target);
    const text = await change(source ?? (await parseConfigSource(target, '')));
    if (text === source?.text) return;
    await check?.({ file, text });
    const isReplaced = await replaceFile(target, source?.text, text).catch((error: unknown) => {
      const reason = (error as NodeJS.ErrnoException).code ?? String(error);
      throw new ConfigEditError(
        { file, path: formatConfigPath(at), detail: `it cannot be written (${reason})` },
        { cause: error },
      );
    });
    if (isReplaced) return;
  }
  throw new ConfigEditError({
    file,
    path: formatConfigPath(at),
    detail: 'another program keeps changing the file',
  });
}

async function editedText(source: ConfigSource, at: ConfigPath, given: unknown): Promise<string> {
  const refuse = (detail: string, cause?: unknown) =>
    new ConfigEditError({ file: source.file, path: formatConfigPath(at), detail }, { cause });
  if (at.length === 0) throw refuse('a path to a single value is needed');
  if (given === undefined) throw refuse('there is no value to write');
  const value: unknown = JSON.parse(JSON.stringify(given));
  const obstacle = obstacleOn(source.value, at);
  if (obstacle !== undefined) throw refuse(obstacle);
  if (isDeepStrictEqual(valueAt(source.value, at), value)) return source.text;
  const expected = withValueAt(source.value, at, value);
  const text = source.edit(at, value);
  const result = await parseConfigSource(source.file, text).catch((error: unknown) => {
    throw refuse('the file would no longer be readable', error);
  });
  if (!isDeepStrictEqual(result.value, expected)) throw refuse('other values would change with it');
  if (!isDeepStrictEqual(result.comments(), source.comments())) throw refuse('a comment would be lost');
  return text;
}

async function removedText(source: ConfigSource, at: ConfigPath): Promise<string> {
  const refuse = (detail: string, cause?: unknown) =>
    new ConfigEditError({ file: source.file, path: formatConfigPath(at), detail }, { cause });
  if (valueAt(source.value, at) === undefined) return source.text;
  const list = valueAt(source.value, at.slice(0, -1));
  // The items behind it move up, so the list is written anew; that refuses to lose a comment.
  if (Array.isArray(list)) {
    const others = list.filter((_, index) => index !== at.at(-1));
    return editedText(source, at.slice(0, -1), others);
  }
  const text = source.remove(at);
  const result = await parseConfigSource(source.file, text).catch((error: unknown) => {
    throw refuse('the file would no longer be readable', error);
  });
  if (!isDeepStrictEqual(result.value, withoutValueAt(source.value, at)))
    throw refuse('other values would change with it');
  return text;
}

/** Returns false when the file no longer has the text `before`; then nothing was changed. */
async function replaceFile(file: string, before: string | undefined, after: string): Promise<boolean> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const mode = before === undefined ? 0o600 : (await stat(file)).mode & 0o7777;
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.${randomUUID()}.tmp`);
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(after);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await chmod(draft, mode);
    // This is synchronous on purpose: no other edit of this process can happen between the check and the rename.
    if (readIfPresent(file) !== before) return false;
    renameSync(draft, file);
    return true;
  } finally {
    await rm(draft, { force: true });
  }
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
