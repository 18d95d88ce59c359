// What every BlobStore must do, with any backend. The test of a backend passes a function that makes a place, and must
// pass this whole suite.

import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InvalidStoreRequestError } from '../errors.ts';
import { type BlobFacts, type BlobStore, hashOf, LARGEST_BLOB } from './blob-store.ts';

export interface BlobPlace {
  /** Opens the place. The second time it contains what the first one wrote. */
  open(): Promise<BlobStore>;
  /** Changes bytes of a blob behind the back of the BlobStore. */
  damage(hash: string): Promise<void>;
  /** Removes everything. Every BlobStore of the place is closed by then. */
  destroy(): Promise<void>;
}

/** Texts that are no hash, some of which would lead out of a folder or end a statement. */
const NO_HASHES = [
  '',
  '.',
  '..',
  '../store.db',
  'a'.repeat(63),
  'A'.repeat(64),
  `${'a'.repeat(64)}\0`,
  `../${'a'.repeat(64)}`,
  "'; DROP TABLE blobs; --",
];

export function describeBlobStore(name: string, makePlace: () => Promise<BlobPlace>): void {
  describe(`the blobs in ${name}`, () => {
    let place: BlobPlace;
    let blobs: BlobStore;

    beforeEach(async () => {
      place = await makePlace();
      blobs = await place.open();
    });
    afterEach(async () => {
      await blobs.close();
      await place.destroy();
    });

    const put = async (bytes: Buffer, at = 1_000) => {
      const hash = hashOf(bytes);
      await blobs.put(hash, bytes, at);
      return hash;
    };
    const listed = async () => {
      const all: BlobFacts[] = [];
      for await (const facts of blobs.list()) all.push(facts);
      return all;
    };

    it('are read as they were put, also by a later process', async () => {
      const bytes = Buffer.from([0, 255, 10, 39, 92]);
      const hash = await put(bytes);
      expect(await blobs.has(hash)).toBe(true);
      expect(await blobs.read(hash)).toEqual(bytes);
      await blobs.close();
      blobs = await place.open();
      expect(await blobs.read(hash)).toEqual(bytes);
    });

    it.each([1, 1024 * 1024 - 1, 1024 * 1024, 1024 * 1024 + 1, 25 * 1024 * 1024])('may have %i bytes', async (size) => {
      const bytes = randomBytes(size);
      expect((await blobs.read(await put(bytes)))?.equals(bytes)).toBe(true);
    });

    it('may have any bytes', async () => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 5_000 }), async (array) => {
          const bytes = Buffer.from(array);
          expect((await blobs.read(await put(bytes)))?.equals(bytes)).toBe(true);
        }),
        { numRuns: 30 },
      );
    });

    it('are stored once, with the time of the last putting', async () => {
      const hash = await put(Buffer.from('same'), 1_000);
      await put(Buffer.from('same'), 5_000);
      expect(await listed()).toEqual([{ hash, size: 4, putAt: 5_000 }]);
    });

    it('are listed in the order of their hashes', async () => {
      const hashes = [];
      for (let index = 0; index < 20; index += 1) hashes.push(await put(Buffer.from(`blob ${index}`), index * 1_000));
      expect((await listed()).map(({ hash }) => hash)).toEqual(hashes.sort());
    });

    it('are there after being put by many at once', async () => {
      const bytes = randomBytes(2_000_000);
      const other = await place.open();
      const hash = hashOf(bytes);
      await Promise.all([blobs.put(hash, bytes, 1), blobs.put(hash, bytes, 2), blobs.read(hash)]);
      await other.put(hash, bytes, 3);
      expect((await other.read(hash))?.equals(bytes)).toBe(true);
      expect(await listed()).toHaveLength(1);
      await other.close();
    });

    it('are removed, unless they were put later', async () => {
      const hash = await put(Buffer.from('kept'), 5_000);
      expect(await blobs.remove(hash, 4_999)).toBe(false);
      expect(await blobs.has(hash)).toBe(true);
      expect(await blobs.remove(hash, 5_000)).toBe(true);
      expect(await blobs.has(hash)).toBe(false);
      expect(await blobs.read(hash)).toBeUndefined();
      expect(await blobs.remove(hash, 9_000)).toBe(false);
    });

    it('are there when they are put while they are removed', async () => {
      const bytes = randomBytes(1_500_000);
      const hash = await put(bytes, 1_000);
      for (let round = 0; round < 5; round += 1) {
        const removing = blobs.remove(hash, 5_000 + round);
        await Promise.all([blobs.put(hash, bytes, 6_000 + round), removing]);
        expect((await blobs.read(hash))?.equals(bytes), `round ${round}`).toBe(true);
      }
    });

    it('are not given out when they are damaged, and are repaired when they are put again', async () => {
      const bytes = randomBytes(1_200_000);
      const hash = await put(bytes);
      await place.damage(hash);
      expect(await blobs.read(hash)).toBeUndefined();
      await put(bytes);
      expect((await blobs.read(hash))?.equals(bytes)).toBe(true);
    });

    it('need a hash that is theirs', async () => {
      const bytes = Buffer.from('mine');
      for (const hash of [...NO_HASHES, hashOf(Buffer.from('yours'))])
        await expect(blobs.put(hash, bytes, 1)).rejects.toThrow(InvalidStoreRequestError);
      expect(await listed()).toEqual([]);
    });

    it('are never found by a text that is no hash', async () => {
      await put(Buffer.from('something'));
      for (const text of NO_HASHES) {
        expect(await blobs.has(text)).toBe(false);
        expect(await blobs.read(text)).toBeUndefined();
        expect(await blobs.remove(text, 9_000)).toBe(false);
      }
      expect(await listed()).toHaveLength(1);
    });

    it('have at least one byte, and have a limit', async () => {
      await expect(put(Buffer.alloc(0))).rejects.toThrow(/at least one byte/);
      // The length is looked at before anything is hashed or copied.
      const large = { length: LARGEST_BLOB + 1 } as Buffer;
      await expect(blobs.put('a'.repeat(64), large, 1)).rejects.toThrow(/at most/);
      expect(await listed()).toEqual([]);
    });

    it('say where they are, without a password', () => {
      expect(blobs.description).not.toBe('');
      expect(blobs.description).not.toContain('secret');
    });
  });
}
