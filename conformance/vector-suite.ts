// The recorded cases, as they stand in the vector files: one suite a file, each case an input and the output that the
// reference implementation gave for it. Loading knows nothing of what a case means.

import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface VectorCase {
  readonly id: string;
  /** What the case exercises. The same word may mean something else in another suite. */
  readonly fn: string;
  readonly note?: string;
  readonly input: unknown;
  readonly output: unknown;
  /** True when the reference promised no order: lists are compared as sets. */
  readonly unordered?: boolean;
}

export interface VectorSuite {
  readonly suite: string;
  readonly cases: readonly VectorCase[];
}

/** Every suite below `dir`, by name. Files that hold no cases are passed over; files of one suite are joined. */
export async function loadVectorSuites(dir: string): Promise<readonly VectorSuite[]> {
  const cases = new Map<string, VectorCase[]>();
  for (const path of await jsonFiles(dir)) {
    const content: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (isVectorSuite(content)) cases.set(content.suite, [...(cases.get(content.suite) ?? []), ...content.cases]);
  }
  return [...cases].map(([suite, list]) => ({ suite, cases: list })).sort((a, b) => (a.suite < b.suite ? -1 : 1));
}

async function jsonFiles(dir: string): Promise<string[]> {
  const found = (await readdir(dir, { recursive: true }))
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(dir, name));
  const files: string[] = [];
  for (const path of found.sort()) if ((await stat(path)).isFile()) files.push(path);
  return files;
}

function isVectorSuite(content: unknown): content is VectorSuite {
  const suite = content as Partial<VectorSuite> | null;
  return typeof suite === 'object' && typeof suite?.suite === 'string' && Array.isArray(suite.cases);
}
