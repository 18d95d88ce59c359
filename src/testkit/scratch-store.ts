// A store of the test's own on a real disk, gone after the test.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import type { Store } from '../store/store.ts';

export class ScratchStore {
  readonly store: Store;
  readonly #dir: string;

  private constructor(store: Store, dir: string) {
    this.store = store;
    this.#dir = dir;
  }

  static async create(): Promise<ScratchStore> {
    const dir = await mkdtemp(path.join(tmpdir(), 'atrium-store-'));
    return new ScratchStore(await openSqliteStore({ file: path.join(dir, 'store.sqlite') }), dir);
  }

  async remove(): Promise<void> {
    await this.store.close();
    await rm(this.#dir, { recursive: true, force: true });
  }
}
