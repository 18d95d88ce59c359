// The BlobStore contract: bytes that are too large for a row, stored once under the hash of their content. The files of
// messages are kept so. It knows nothing of messages; who may read a blob, and how long it is kept, is decided elsewhere.
//
// Errors: `put` rejects with InvalidStoreRequestError when the bytes are not those of the hash, or are none, or are more
// than LARGEST_BLOB, and with StoreFullError, StoreReadOnlyError or StoreFailedError when the place refuses; then nothing
// of it can be read. A text that is no hash names no blob: it is never found, and never becomes part of a path or a
// statement. Reading never rejects because a blob is missing or damaged; it rejects with StoreFailedError when the place cannot be reached.
// Result: `put` resolves when the bytes would survive a power cut. `read` gives exactly the bytes of the hash, or nothing.
// Rules: the same bytes are stored once, and putting them again renews their time and repairs what was damaged. A blob
// that is put while it is being removed is there afterwards. Only the owner of the place can read it.
// When it fires: after `close`, the place must not be used again.

import { isAttachmentHash } from '../../protocol/attachment.ts';
import { sha256Of } from '../../protocol/sha256-of.ts';
import { InvalidStoreRequestError } from '../errors.ts';

export interface BlobStore {
  /** `at` is the time of this putting. */
  put(hash: string, bytes: Uint8Array, at: number): Promise<void>;
  /** Undefined when there is no such blob, or when its bytes are not those of the hash any more. */
  read(hash: string): Promise<Buffer | undefined>;
  /** Looks only whether it is there. Its bytes are not loaded. */
  has(hash: string): Promise<boolean>;
  /** Removes the blob unless it was put after this time. True when it was there and is gone. */
  remove(hash: string, putUntil: number): Promise<boolean>;
  /** All blobs in the order of their hashes. What is put or removed meanwhile may be in it or not. */
  list(): AsyncIterable<BlobFacts>;
  /** Removes what a crash left half written before this time. Returns how many such leftovers there were. */
  sweep(leftUntil: number): Promise<number>;
  /** Describes the place for people, without a password. */
  readonly description: string;
  close(): Promise<void>;
}

export interface BlobFacts {
  readonly hash: string;
  readonly size: number;
  /** The time at which it was put last. */
  readonly putAt: number;
}

/** A blob is held in memory while it is put or read, so it has a limit wherever it is stored. */
export const LARGEST_BLOB = 256 * 1024 * 1024;

export function hashOf(bytes: Uint8Array): string {
  return sha256Of(bytes);
}

/** Throws InvalidStoreRequestError. */
export function checkBlob(hash: string, bytes: Uint8Array): void {
  const refuse = (problem: string) => {
    throw new InvalidStoreRequestError({ table: 'blobs', problem });
  };
  if (bytes.length === 0) refuse('a blob needs at least one byte');
  if (bytes.length > LARGEST_BLOB) refuse(`a blob has at most ${LARGEST_BLOB} bytes`);
  if (!isAttachmentHash(hash) || hashOf(bytes) !== hash) refuse('the bytes are not those of the hash');
}
