// What providers have said about their models, as `atrium models refresh` stored it: one file in Atrium's own folder of the
// state directory, with the time of each answer. A file that cannot be read counts as none.

import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isPlainObject } from './plain-object.ts';

export interface LearnedModel {
  readonly id: string;
  readonly contextWindow?: number | undefined;
  readonly maxTokens?: number | undefined;
}

export interface LearnedList {
  /** When the provider was asked. */
  readonly at: string;
  readonly models: readonly LearnedModel[];
}

export type LearnedModels = Readonly<Record<string, LearnedList>>;

export function learnedModelsFile(stateDir: string): string {
  return path.join(stateDir, 'atrium', 'models.json');
}

export async function readLearnedModels(stateDir: string): Promise<LearnedModels> {
  try {
    const value: unknown = JSON.parse(await readFile(learnedModelsFile(stateDir), 'utf8'));
    if (!isPlainObject(value)) return {};
    return Object.fromEntries(
      Object.entries(value).flatMap(([provider, list]) => (isList(list) ? [[provider, list] as const] : [])),
    );
  } catch {
    return {};
  }
}

/** Replaces the lists of these providers and keeps the others. */
export async function writeLearnedModels(stateDir: string, lists: LearnedModels): Promise<string> {
  const file = learnedModelsFile(stateDir);
  const all = { ...(await readLearnedModels(stateDir)), ...lists };
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, `${JSON.stringify(all, null, 1)}\n`, { mode: 0o600 });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
  return file;
}

function isList(value: unknown): value is LearnedList {
  if (!isPlainObject(value) || typeof value.at !== 'string' || !Array.isArray(value.models)) return false;
  return value.models.every((model) => isPlainObject(model) && typeof model.id === 'string');
}
