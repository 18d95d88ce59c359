// Remembers which plugins cannot run in the worker, and why. It is found out at the first load and kept with the hash of
// the plugin's files, so that the next start need not try again. A plugin that has changed since is tried again.
//
// Errors: none. A file that cannot be read counts as empty; what cannot be written is found out again at the next start.

import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import { readBounded, textsOf } from './discovery/plugin-manifest.ts';
import { writeJsonFileAtomically } from './openclaw-sdk/json-files.ts';

export interface RememberedIsolation {
  readonly integrity: string;
  /** What it registers that cannot cross. */
  readonly needsInline: readonly string[];
}

export class IsolationMemory {
  readonly #file: string;
  #known: Promise<Map<string, RememberedIsolation>> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(stateDir: string) {
    this.#file = join(stateDir, 'plugins', 'isolation.json');
  }

  async find(id: string): Promise<RememberedIsolation | undefined> {
    return (await this.#load()).get(id);
  }

  async remember(id: string, isolation: RememberedIsolation): Promise<void> {
    (await this.#load()).set(id, isolation);
    await this.#save();
  }

  async forget(id: string): Promise<void> {
    if ((await this.#load()).delete(id)) await this.#save();
  }

  #load(): Promise<Map<string, RememberedIsolation>> {
    this.#known ??= readMemory(this.#file);
    return this.#known;
  }

  /** Saves run one after the other, each with everything that is known by then. */
  #save(): Promise<void> {
    this.#writing = this.#writing.then(async () => writeMemory(this.#file, await this.#load()));
    return this.#writing;
  }
}

async function readMemory(file: string): Promise<Map<string, RememberedIsolation>> {
  const known = new Map<string, RememberedIsolation>();
  try {
    const value: unknown = JSON.parse((await readBounded(file)) ?? 'null');
    for (const [id, entry] of Object.entries(isJsonObject(value) ? value : {})) {
      const { integrity, needsInline } = isJsonObject(entry) ? entry : ({} as JsonObject);
      if (typeof integrity === 'string') known.set(id, { integrity, needsInline: textsOf(needsInline) });
    }
  } catch {
    // A broken file counts as empty.
  }
  return known;
}

async function writeMemory(file: string, known: ReadonlyMap<string, RememberedIsolation>): Promise<void> {
  try {
    await writeJsonFileAtomically(file, Object.fromEntries(known));
  } catch {
    // What could not be written is found out again at the next start.
  }
}
