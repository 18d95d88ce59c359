// Keeps loaded handlers, and the failures to load them, until a file beside the handler changes. So an edit shows on
// the next run without a restart, a module keeps its state between edits, and a broken file is not tried again and again.

import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { HookHandlerFile, LoadedHookHandler } from './load-hook-handler.ts';

export class HookHandlerCache {
  readonly #loadHandler: (file: HookHandlerFile) => Promise<LoadedHookHandler>;
  /** By file and export; the fingerprint is the one under which the load began. */
  readonly #loaded = new Map<string, { fingerprint: string; result: Promise<LoadedHookHandler> }>();

  constructor(loadHandler: (file: HookHandlerFile) => Promise<LoadedHookHandler>) {
    this.#loadHandler = loadHandler;
  }

  async load(file: HookHandlerFile): Promise<LoadedHookHandler> {
    const key = JSON.stringify([file.rootDir, file.path, file.exportName ?? 'default']);
    const fingerprint = await fingerprintCode(file.path);
    const kept = this.#loaded.get(key);
    if (kept?.fingerprint === fingerprint) return kept.result;
    const result = this.#loadHandler(file);
    this.#loaded.set(key, { fingerprint, result });
    return result;
  }
}

/** The handler and the code files beside it, because an edited neighbour changes the handler as well. */
async function fingerprintCode(path: string): Promise<string> {
  const dir = dirname(path);
  const names = await readdir(dir).catch(() => []);
  const code = names.filter((name) => /(?<!\.test)\.(?:[cm]?[jt]sx?|json)$/.test(name)).map((name) => join(dir, name));
  const marks = await Promise.all([...new Set([path, ...code])].sort().map(fingerprintFile));
  return marks.join('\n');
}

async function fingerprintFile(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeMs } = await stat(path);
    return `${path} ${dev}:${ino}:${size}:${mtimeMs}`;
  } catch {
    return `${path} -`;
  }
}
