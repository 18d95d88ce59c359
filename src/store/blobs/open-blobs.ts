// The blobs of a place: files of a folder beside an SQLite file, or rows of a database. Only the backend of that place is
// loaded, and nothing is opened before the first blob is asked for.

import type { StorePlace } from '../../protocol/store-place.ts';
import type { BlobStore } from './blob-store.ts';
import { FolderBlobs, type FolderBlobsParts } from './folder-blobs.ts';

export function openBlobs(place: StorePlace, folder: FolderBlobsParts): BlobStore {
  if (place.kind === 'sqlite') return new FolderBlobs(folder);
  return lazyBlobs(async () => {
    const [{ PostgresBlobs }, { DEFAULT_SCHEMA, WAIT_MS }] = await Promise.all([
      import('../postgres/postgres-blobs.ts'),
      import('../postgres/describe-place.ts'),
    ]);
    return new PostgresBlobs({ url: place.url, schema: place.schema ?? DEFAULT_SCHEMA, waitMs: WAIT_MS });
  });
}

function lazyBlobs(load: () => Promise<BlobStore>): BlobStore {
  let loading: Promise<BlobStore> | undefined;
  const loaded = () => {
    loading ??= load();
    return loading;
  };
  return {
    put: async (hash, bytes, at) => (await loaded()).put(hash, bytes, at),
    read: async (hash) => (await loaded()).read(hash),
    has: async (hash) => (await loaded()).has(hash),
    remove: async (hash, putUntil) => (await loaded()).remove(hash, putUntil),
    list: async function* () {
      yield* (await loaded()).list();
    },
    sweep: async (leftUntil) => (await loaded()).sweep(leftUntil),
    description: 'the database of store.url',
    close: async () => (await loading)?.close(),
  };
}
