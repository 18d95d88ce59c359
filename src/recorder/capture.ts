// Keeps a request to a model byte for byte, as a list of parts that are stored once under their hash, so that a long
// conversation is not stored again with each request. Making the writes is pure; the caller commits them together with
// the other writes of its step.
//
// Promise: the texts of the parts joined are the body, for any text. A capture that is read returns exactly the body or
// says which parts are gone. Headers and address are kept without secrets; the body is kept as it is.

import type { JsonObject } from '../protocol/json.ts';
import type { Store, Write } from '../store/store.ts';
import type { CaptureRow } from '../store/tables.ts';
import { BodyParts, partKeyOf } from './body-parts.ts';
import { redactHeaders, redactUrl } from './redact.ts';

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
    /** Behind this place no value of the body is a list, where the caller knows it; then the rest need not be looked at. */
    readonly listsEnd?: number | undefined;
    /** Places behind `listsEnd`, in order, between which the body says the same as that of other requests. */
    readonly cuts?: readonly number[] | undefined;
    /** The places at which images are named in the body. Their bytes are stored elsewhere, once. */
    readonly images?: readonly { readonly at: number; readonly hash: string; readonly size: number }[] | undefined;
  };
  /** The authors of the text that is new since the request before. It is kept beside the request. */
  readonly spans?: readonly object[] | undefined;
  /** What is needed to write the same request down again. It is kept beside the request, too. */
  readonly sent?: object | undefined;
}

export interface Capture {
  readonly runId: string;
  readonly call: number;
  readonly at: number;
  readonly provider: string;
  readonly model: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The size in bytes of the body, in which images are named by their hashes. */
  readonly size: number;
  readonly images: NonNullable<CapturedRequest['wire']['images']>;
  readonly sent: unknown;
  /** Undefined when parts are missing, because half a request would look like a whole one. */
  readonly body: string | undefined;
  /** The keys of parts that are gone or were changed. */
  readonly missing: readonly string[];
}

/** Returns the writes that store a request. They may share a commit with other writes. */
export function captureRequest(request: CapturedRequest): Write[] {
  const { runId, call, at, provider, model, wire, spans = [], sent } = request;
  const parts = BODY_PARTS.of(wire.body, wire);
  const byKey = new Map(parts.map((part) => [part.hash, part]));
  const inserts = [...byKey.values()].map(
    ({ hash, text, size }): Write => ({
      insert: 'parts',
      row: { hash, text, size, usedAt: at },
      onConflict: 'ignore',
    }),
  );
  // The time only rises, even if the clock is set back: pruning relies on no part being older than a request that uses
  // it.
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
        ...(sent === undefined ? {} : { sent: sent as JsonObject }),
        ...(wire.images?.length ? { images: wire.images.map((image) => ({ ...image })) } : {}),
      },
      manifest: parts.map((part) => part.hash),
      size: parts.reduce((total, part) => total + part.size, 0),
      isIndexed: false,
    },
  };
  // The dates come first: an update waits for another node that is just removing the part, and keeps it from being removed
  // afterwards. An insert that finds the part does neither, so what it found could be gone at the end of the commit.
  return [...touches, ...inserts, capture];
}

/** Returns one request of a run, the last one unless a call is named, or undefined when none is kept. */
export async function readCapture(store: Store, runId: string, call?: number): Promise<Capture | undefined> {
  const [row] = await store.select('captures', {
    where: call === undefined ? { runId } : { runId, call },
    orderBy: [['call', 'desc']],
    limit: 1,
  });
  return row && captureOf(row, await readParts(store, [row]));
}

/** The texts of the parts of these requests, by key. A part that is gone or was changed is not among them. */
export async function readParts(
  store: Store,
  rows: readonly Pick<CaptureRow, 'manifest'>[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const batch of batchesOf([...new Set(rows.flatMap(({ manifest }) => manifest))])) {
    for (const part of await store.select('parts', { where: { hash: { in: batch } } })) {
      if (partKeyOf(part.text).hash === part.hash) texts.set(part.hash, part.text);
    }
  }
  return texts;
}

/** One request as its row and its parts have it. */
export function captureOf(row: CaptureRow, texts: ReadonlyMap<string, string>): Capture {
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
    images: imagesOf(row.envelope.images),
    sent: row.envelope.sent,
    body: missing.length === 0 ? row.manifest.map((key) => texts.get(key) ?? '').join('') : undefined,
    missing,
  };
}

/** Returns the size of a part in bytes, which is part of its key. */
export function partSizeOf(key: string): number {
  return Number(key.slice(key.indexOf('.') + 1)) || 0;
}

/** Splits a list, because databases limit the number of values of one statement. */
export function batchesOf<T>(items: readonly T[], size = 500): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** It only saves work: the same body gives the same parts, whatever it has seen before. */
const BODY_PARTS = new BodyParts();

function imagesOf(images: unknown): Capture['images'] {
  return Array.isArray(images) ? (images as Capture['images']) : [];
}

function headersOf(headers: unknown): Readonly<Record<string, string>> {
  if (typeof headers !== 'object' || headers === null) return {};
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
