// The test's own store on a real disk, removed after the test.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { writeEmptyStore } from './empty-store.ts';

export class ScratchStore {
  #store: Store | undefined;
  #dir = '';

  static async create(): Promise<ScratchStore> {
    const scratch = new ScratchStore();
    await scratch.open();
    return scratch;
  }

  /** Starts again with an empty store. `remove` also removes the store before. */
  async open(): Promise<void> {
    this.#dir = await mkdtemp(path.join(tmpdir(), 'atrium-store-'));
    const file = path.join(this.#dir, 'store.sqlite');
    await writeEmptyStore(file);
    this.#store = await openSqliteStore({ file });
  }

  get store(): Store {
    if (!this.#store) throw new Error('The store is not open yet.');
    return this.#store;
  }

  async remove(): Promise<void> {
    await this.store.close();
    await rm(this.#dir, { recursive: true, force: true });
  }
}
