// A request to a model, kept byte for byte: as a list of parts that are stored once under their hash, so that a long
// conversation is not stored again with each request. Making the writes is pure; the caller commits them together with
// whatever the request belongs to.
//
// Promise: the texts of the parts joined are the body, whatever text it is. What is read back is either exactly that or
// says which parts are gone. Headers and address are kept without secrets; the body is kept as it is.

import { createHash } from 'node:crypto';
import type { JsonObject } from '../protocol/json.ts';
import type { Store, Write } from '../store/store.ts';
import { redactHeaders, redactUrl } from './redact.ts';
import { splitBody } from './split-body.ts';

export interface CapturedRequest {
  readonly runId: string;
  /** Counts the model calls of a run from 1. */
  readonly call: number;
  readonly at: number;
  readonly provider: string;
  readonly model: string;
  readonly wire: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  /** Who wrote what this request has and the one before it had not; kept beside it, for whoever made it to read. */
  readonly spans?: readonly object[] | undefined;
}

export interface Capture {
  readonly runId: string;
  readonly call: number;
  readonly at: number;
  readonly provider: string;
  readonly model: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** In bytes, of the body as it was sent. */
  readonly size: number;
  /** Undefined when parts are missing: half a request would look like a whole one. */
  readonly body: string | undefined;
  /** Keys of the parts that are gone or no longer what they were. */
  readonly missing: readonly string[];
}

/** The writes that keep a request. They may share a commit with others. */
export function captureRequest({ runId, call, at, provider, model, wire, spans = [] }: CapturedRequest): Write[] {
  const parts = splitBody(wire.body).map((text) => ({ ...keyOf(text), text }));
  const byKey = new Map(parts.map((part) => [part.hash, part]));
  const inserts = [...byKey.values()].map(
    ({ hash, text, size }): Write => ({
      insert: 'parts',
      row: { hash, text, size, usedAt: at },
      onConflict: 'ignore',
    }),
  );
  // Only ever forwards, whatever the clock does: pruning relies on no part being older than a request that uses it.
  const touches = batchesOf([...byKey.keys()]).map(
    (batch): Write => ({ update: 'parts', where: { hash: { in: batch }, usedAt: { lt: at } }, set: { usedAt: at } }),
  );
  const capture: Write = {
    insert: 'captures',
    row: {
      runId,
      call,
      at,
      provider,
      model,
      envelope: {
        url: redactUrl(wire.url),
        headers: redactHeaders(wire.headers),
        ...(spans.length === 0 ? {} : { spans: spans as readonly JsonObject[] }),
      },
      manifest: parts.map((part) => part.hash),
      size: parts.reduce((total, part) => total + part.size, 0),
    },
  };
  return [...inserts, ...touches, capture];
}

/** One request of a run, the last one unless a call is named; undefined when none is kept. */
export async function readCapture(store: Store, runId: string, call?: number): Promise<Capture | undefined> {
  const [row] = await store.select('captures', {
    where: call === undefined ? { runId } : { runId, call },
    orderBy: [['call', 'desc']],
    limit: 1,
  });
  if (!row) return undefined;
  const texts = new Map<string, string>();
  for (const batch of batchesOf([...new Set(row.manifest)])) {
    for (const part of await store.select('parts', { where: { hash: { in: batch } } })) {
      if (keyOf(part.text).hash === part.hash) texts.set(part.hash, part.text);
    }
  }
  const missing = [...new Set(row.manifest)].filter((key) => !texts.has(key));
  return {
    runId: row.runId,
    call: row.call,
    at: row.at,
    provider: row.provider,
    model: row.model,
    url: typeof row.envelope.url === 'string' ? row.envelope.url : '',
    headers: headersOf(row.envelope.headers),
    size: row.size,
    body: missing.length === 0 ? row.manifest.map((key) => texts.get(key) ?? '').join('') : undefined,
    missing,
  };
}

/** The size of a part in bytes, as its key tells it. */
export function partSizeOf(key: string): number {
  return Number(key.slice(key.indexOf('.') + 1)) || 0;
}

/** Databases bound the values of one statement. */
export function batchesOf<T>(items: readonly T[], size = 500): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** The SHA-256 of the text's bytes and their number, so that a list of parts tells its size by itself. */
function keyOf(text: string): { readonly hash: string; readonly size: number } {
  const size = Buffer.byteLength(text);
  return { hash: `${createHash('sha256').update(text).digest('hex')}.${size}`, size };
}

function headersOf(headers: unknown): Readonly<Record<string, string>> {
  if (typeof headers !== 'object' || headers === null) return {};
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
