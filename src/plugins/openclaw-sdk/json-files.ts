// Small JSON files of a plugin: reading without errors, private and atomic writing, and names for temporary files.

import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Undefined when there is no such file or it holds no JSON. */
export function loadJsonFile(filePath: string): unknown {
  try {
    return JSON.parse(readFileSync(filePath, 'utf8'));
  } catch {
    return undefined;
  }
}

export function saveJsonFile(filePath: string, value: unknown): void {
  mkdirSync(dirname(filePath), { recursive: true, mode: 0o700 });
  const draft = draftOf(filePath);
  try {
    writeFileSync(draft, textOf(value), { mode: 0o600 });
    renameSync(draft, filePath);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

export async function readJsonFileWithFallback<Value>(
  filePath: string,
  fallback: Value,
): Promise<{ value: Value; exists: boolean }> {
  let text: string;
  try {
    text = await readFile(filePath, 'utf8');
  } catch {
    return { value: fallback, exists: false };
  }
  try {
    return { value: JSON.parse(text) as Value, exists: true };
  } catch {
    return { value: fallback, exists: true };
  }
}

/** With `flush`, the text is on the disk when this resolves. */
export async function writeJsonFileAtomically(
  filePath: string,
  value: unknown,
  { flush = false }: { readonly flush?: boolean } = {},
): Promise<void> {
  await mkdir(dirname(filePath), { recursive: true, mode: 0o700 });
  const draft = draftOf(filePath);
  try {
    await writeFile(draft, textOf(value), { mode: 0o600, flush });
    await rename(draft, filePath);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** A path that nothing has yet; no part of it leads out of the folder. */
export function buildRandomTempFilePath({
  prefix,
  extension = '',
  tmpDir = tmpdir(),
  now = Date.now(),
  uuid = randomUUID(),
}: {
  readonly prefix: string;
  readonly extension?: string;
  readonly tmpDir?: string;
  readonly now?: number;
  readonly uuid?: string;
}): string {
  const ending = wordOf(extension);
  const name = [wordOf(prefix) || 'file', Math.trunc(now), wordOf(uuid)].join('-');
  return join(tmpDir, ending === '' ? name : `${name}.${ending}`);
}

function wordOf(text: string): string {
  return text
    .slice(0, 100)
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
}

function draftOf(filePath: string): string {
  return `${filePath}.${randomUUID()}.tmp`;
}

function textOf(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
