// Moves blobs from one place to another: each is put there with its own time, and then removed here. It can be cut at
// any moment and done again. A blob that is damaged stays where it is.

import type { BlobStore } from './blob-store.ts';

export interface TakeOver {
  readonly from: BlobStore;
  readonly to: BlobStore;
  /** Those of these hashes that are to be moved; the others stay. */
  readonly wanted: (hashes: readonly string[]) => Promise<ReadonlySet<string>>;
}

const HASHES_PER_LOOK = 200;

/** Returns how many were moved. */
export async function takeOverBlobs({ from, to, wanted }: TakeOver): Promise<number> {
  let moved = 0;
  const move = async (hashes: readonly string[], times: ReadonlyMap<string, number>) => {
    const chosen = await wanted(hashes);
    for (const hash of hashes.filter((each) => chosen.has(each))) {
      const bytes = await from.read(hash);
      const putAt = times.get(hash);
      if (!bytes || putAt === undefined) continue;
      await to.put(hash, bytes, putAt);
      if (await from.remove(hash, putAt)) moved += 1;
    }
  };
  let times = new Map<string, number>();
  for await (const { hash, putAt } of from.list()) {
    times.set(hash, putAt);
    if (times.size < HASHES_PER_LOOK) continue;
    await move([...times.keys()], times);
    times = new Map();
  }
  if (times.size > 0) await move([...times.keys()], times);
  return moved;
}
