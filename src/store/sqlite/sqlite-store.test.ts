import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeStore } from '../store-suite.ts';
import { openSqliteStore } from './open-sqlite-store.ts';

describeStore('an SQLite file', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'atrium-store-'));
  return { open: () => openSqliteStore({ file: join(dir, 'store.db') }), destroy: () => rm(dir, { recursive: true }) };
});
