// Blobs in a schema of a Postgres database, where every node finds them: one row for each blob, and its bytes in chunks,
// so that no value is larger than one of them. Putting is one transaction, which holds the row of the blob; so another
// node that wants to remove it waits, and then finds its new time.
//
// It opens its two connections with the first blob, so that a gateway without files has none of them. Putting the same
// bytes twice changes nothing, so what a broken connection has interrupted is done again.

import { isAttachmentHash } from '../../protocol/attachment.ts';
import { type BlobFacts, type BlobStore, checkBlob, hashOf } from '../blobs/blob-store.ts';
import { describePlace } from './describe-place.ts';
import {
  ConnectionLostError,
  PostgresConnection,
  type PostgresStatement,
  type SqlAnswer,
} from './postgres-connection.ts';
import { storeErrorFrom } from './store-error.ts';

export interface PostgresBlobsOptions {
  readonly url: string;
  readonly schema: string;
  /** How long requests wait for a server that cannot be reached. */
  readonly waitMs: number;
}

const CHUNK_BYTES = 1024 * 1024;
const HASHES_PER_PAGE = 500;
const MOST_TRIES = 5;

export class PostgresBlobs implements BlobStore {
  readonly description: string;
  readonly #writer: PostgresConnection;
  readonly #reader: PostgresConnection;
  #changing: Promise<unknown> = Promise.resolve();

  constructor({ url, schema, waitMs }: PostgresBlobsOptions) {
    this.description = describePlace(url, schema);
    this.#writer = new PostgresConnection({ url, schema, waitMs, name: 'atrium files' });
    this.#reader = new PostgresConnection({ url, schema, waitMs, name: 'atrium file reads' });
  }

  async put(hash: string, bytes: Uint8Array, at: number): Promise<void> {
    checkBlob(hash, bytes);
    await this.#inTurn(() => this.#write(hash, bytes, at));
  }

  async read(hash: string): Promise<Buffer | undefined> {
    if (!isAttachmentHash(hash)) return undefined;
    const chunks: Buffer[] = [];
    // One chunk is asked for at a time; the hash tells when a chunk is missing or another node has removed some.
    for (;;) {
      const sql = 'SELECT bytes FROM blob_chunks WHERE hash = $1 AND part = $2';
      const [row] = (await this.#ask({ sql, values: [hash, chunks.length] })).rows;
      if (!row) break;
      chunks.push(Buffer.from(String(row[0]).slice(HEX_PREFIX.length), 'hex'));
      if (chunks.at(-1)?.length !== CHUNK_BYTES) break;
    }
    const bytes = Buffer.concat(chunks);
    return bytes.length > 0 && hashOf(bytes) === hash ? bytes : undefined;
  }

  async has(hash: string): Promise<boolean> {
    if (!isAttachmentHash(hash)) return false;
    const { rows } = await this.#ask({ sql: 'SELECT 1 FROM blobs WHERE hash = $1', values: [hash] });
    return rows.length > 0;
  }

  async remove(hash: string, putUntil: number): Promise<boolean> {
    if (!isAttachmentHash(hash)) return false;
    const sql = 'DELETE FROM blobs WHERE hash = $1 AND put_at <= $2';
    return this.#inTurn(async () => {
      const { count } = await this.#again(() => this.#writer.ask({ sql, values: [hash, Math.floor(putUntil)] }));
      return count > 0;
    });
  }

  async *list(): AsyncIterable<BlobFacts> {
    const sql = 'SELECT hash, size, put_at FROM blobs WHERE hash > $1 ORDER BY hash LIMIT $2';
    let last = '';
    for (;;) {
      const { rows } = await this.#ask({ sql, values: [last, HASHES_PER_PAGE] });
      for (const [hash, size, putAt] of rows) yield { hash: String(hash), size: Number(size), putAt: Number(putAt) };
      if (rows.length < HASHES_PER_PAGE) return;
      last = String(rows.at(-1)?.[0]);
    }
  }

  /** A transaction leaves nothing half written. */
  async sweep(): Promise<number> {
    return 0;
  }

  async close(): Promise<void> {
    await this.#changing;
    await Promise.all([this.#writer.close(), this.#reader.close()]);
  }

  async #write(hash: string, bytes: Uint8Array, at: number): Promise<void> {
    await this.#again(async () => {
      const held = await this.#writer.hold();
      try {
        await held.ask(BEGIN);
        await held.ask({ sql: PUT, values: [hash, bytes.length, Math.floor(at)] });
        if (!(await isWhole(held, hash, bytes.length))) {
          await held.ask({ sql: 'DELETE FROM blob_chunks WHERE hash = $1', values: [hash] });
          for (let part = 0; part * CHUNK_BYTES < bytes.length; part += 1) {
            const chunk = bytes.subarray(part * CHUNK_BYTES, (part + 1) * CHUNK_BYTES);
            await held.ask({
              sql: 'INSERT INTO blob_chunks (hash, part, bytes) VALUES ($1, $2, $3)',
              values: [hash, part, chunk],
            });
          }
        }
        await held.ask(COMMIT);
      } catch (error) {
        if (!(error instanceof ConnectionLostError)) await held.ask(ROLLBACK).catch(() => undefined);
        throw error;
      }
    });
  }

  #ask(statement: PostgresStatement): Promise<SqlAnswer> {
    return this.#again(() => this.#reader.ask(statement));
  }

  async #again<Value>(work: () => Promise<Value>): Promise<Value> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ConnectionLostError) || tries === MOST_TRIES)
          throw storeErrorFrom(error, this.description);
      }
    }
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#changing.then(work);
    this.#changing = done.catch(() => undefined);
    return done;
  }
}

const BEGIN = { sql: 'BEGIN', values: [] };
const COMMIT = { sql: 'COMMIT', values: [] };
const ROLLBACK = { sql: 'ROLLBACK', values: [] };
/** The row stays locked until the transaction is over. */
const PUT =
  'INSERT INTO blobs (hash, size, put_at) VALUES ($1, $2, $3) ON CONFLICT (hash) DO UPDATE SET put_at = GREATEST(blobs.put_at, EXCLUDED.put_at), size = EXCLUDED.size';
/** Postgres writes bytes as text in this form. */
const HEX_PREFIX = '\\x';

/** The server hashes each chunk, so that the bytes need not come here to be compared. */
async function isWhole(held: Pick<PostgresConnection, 'ask'>, hash: string, size: number): Promise<boolean> {
  const sql =
    "SELECT encode(sha256(string_agg(bytes, ''::bytea ORDER BY part)), 'hex') FROM blob_chunks WHERE hash = $1";
  if (size > MOST_HASHED_BY_SERVER) return false;
  const { rows } = await held.ask({ sql, values: [hash] });
  return rows[0]?.[0] === hash;
}

/** The server has to put the chunks together for it; a larger blob is written again instead. */
const MOST_HASHED_BY_SERVER = 64 * CHUNK_BYTES;
