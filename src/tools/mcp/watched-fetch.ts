// Watches the requests to a remote server: everything that it sends is bounded, and an answer that can no longer come is
// noticed. The library alone would wait for such an answer until its time is over.

import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';

export interface WatchedFetch {
  readonly fetch: FetchLike;
  /** Tells that a message with this id has arrived. */
  answered(id: unknown): void;
}

export interface WatchedFetchOptions {
  /** The most bytes of an answer, or of one event in a stream of events. */
  readonly maxBytes: number;
  /** A request was taken and will not be answered any more, or too much was sent. */
  readonly onLost: (why: string) => void;
}

/** What arrived last may still be on its way through the parser. */
const GRACE_MS = 500;

export function watchFetch({ maxBytes, onLost }: WatchedFetchOptions): WatchedFetch {
  const awaited = new Set<unknown>();
  return {
    answered: (id) => void awaited.delete(id),
    fetch: async (url, init) => {
      const sent = init?.method === 'POST' ? parseBody(init.body) : undefined;
      // The answer to a cancelled call is not awaited.
      if (sent?.method === 'notifications/cancelled' && isJsonObject(sent.params))
        awaited.delete(sent.params.requestId);
      const id = sent?.method === undefined ? undefined : sent.id;
      const response = await fetch(url, init);
      const { body, status, statusText, headers } = response;
      if (body === null) return response;
      if (id !== undefined && response.ok) awaited.add(id);
      const isStream = headers.get('content-type')?.includes('text/event-stream') === true;
      const watch = new BodyWatch(maxBytes, isStream);
      const onEnd = () => {
        // A retry would bring the same amount again.
        if (watch.isTooMuch) onLost(`it sent more than ${maxBytes} bytes at once`);
        // The library resumes a stream whose events have ids.
        if (id === undefined || watch.isResumable || watch.isTooMuch) return;
        setTimeout(() => awaited.delete(id) && onLost('its answer ended before it said anything'), GRACE_MS).unref();
      };
      return new Response(watched(body, watch, onEnd), { status, statusText, headers });
    },
  };
}

function parseBody(body: unknown): JsonObject | undefined {
  if (typeof body !== 'string') return undefined;
  const value: unknown = JSON.parse(body);
  return isJsonObject(value) ? value : undefined;
}

function watched(body: ReadableStream<Uint8Array>, watch: BodyWatch, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          watch.look(value);
          controller.enqueue(value);
          return;
        }
        controller.close();
      } catch (error) {
        controller.error(error);
        void reader.cancel(error).catch(() => undefined);
      }
      onEnd();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Counts what belongs together: all of a plain answer, or what stands between two blank lines of a stream. */
class BodyWatch {
  readonly #maxBytes: number;
  readonly #isStream: boolean;
  #size = 0;
  #tail = '';
  isResumable = false;

  constructor(maxBytes: number, isStream: boolean) {
    this.#maxBytes = maxBytes;
    this.#isStream = isStream;
  }

  get isTooMuch(): boolean {
    return this.#size > this.#maxBytes;
  }

  look(chunk: Uint8Array): void {
    this.#size += chunk.length;
    if (this.#isStream) {
      const text = this.#tail + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
      this.isResumable ||= /(^|[\r\n])id:/.test(text);
      const blank = Math.max(...['\n\n', '\r\r', '\r\n\r\n'].map((mark) => text.lastIndexOf(mark)));
      if (blank !== -1) this.#size = text.length - blank;
      this.#tail = text.slice(-4);
    }
    if (this.isTooMuch) throw new Error(`it sent more than ${this.#maxBytes} bytes at once`);
  }
}
