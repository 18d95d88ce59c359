// Which plugins cannot run in the worker, and why: found out when they were first loaded, and kept with the hash of
// their files, so that the next start need not try again. A plugin that has changed since is tried again.
//
// Errors: none. What cannot be read is not known; what cannot be written is found out again next time.

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

  /** One after the other, each with all that is known when its turn comes. */
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
    // Nothing is known then.
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
