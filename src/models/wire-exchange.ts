// One HTTP exchange with a provider: it sends a recorded request with the secrets added, and hands the bytes of the
// answer to its reader as they come. Closing it ends the connection; silence and endless answers end it too. It never
// throws: a failure is kept as a ModelFailure. Redirects are not followed, because a key must not be sent to another
// host. The exchange does not know what the reader makes of the bytes.

import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AnswerReader } from './answer-reader.ts';
import type { ModelFailure, WireRequest } from './model.ts';
import {
  cutFailure,
  type FailureContext,
  malformedFailure,
  networkFailure,
  responseFailure,
  timeoutFailure,
} from './model-failure.ts';

export interface ExchangeSettings {
  readonly secretHeaders: Readonly<Record<string, string>>;
  /** The longest time without any byte. */
  readonly idleMs: number;
  /** After the reason of its end, an answer has this long for the rest: the usage and the last event. */
  readonly afterReasonMs: number;
  readonly reader: AnswerReader;
  readonly now: () => number;
  readonly context: FailureContext;
}

/**
 * An answer with more bytes is a fault. The limit is far above what an answer may say, because a provider that wraps
 * every token in its own event sends fifty times as much.
 */
const MOST_BYTES = 64 * 1024 * 1024;

/** This much of an error body is enough to find its message. */
const MOST_ERROR_BYTES = 64 * 1024;

/** An error body follows its status at once. The status is enough without it. */
const ERROR_BODY_MS = 5_000;

/** When so many bytes were read that the caller has not asked for yet, the rest has to wait. */
const MOST_UNSEEN_BYTES = 64 * 1024;

/** After the last event, the end of the response follows at once. */
const TAIL_MS = 1_000;

export class WireExchange {
  readonly #wire: WireRequest;
  readonly #settings: ExchangeSettings;
  #request: ClientRequest | undefined;
  #response: IncomingMessage | undefined;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;
  #ended = false;
  #failure: ModelFailure | undefined;
  #bytes = 0;
  #unseenBytes = 0;
  #wake: (() => void) | undefined;
  #requestId: string | undefined;

  constructor(wire: WireRequest, settings: ExchangeSettings) {
    this.#wire = wire;
    this.#settings = settings;
  }

  get failure(): ModelFailure | undefined {
    return this.#failure;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get requestId(): string | undefined {
    return this.#requestId;
  }

  /** Sends the request. Resolves when the answer begins, or when there is none: then the exchange has ended. */
  async open(): Promise<void> {
    const response = await this.#send();
    if (response) await this.#receive(response);
    else this.#end();
  }

  /** Resolves when the reader was given more bytes, and with false when no more come. */
  more(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        this.#unseenBytes = 0;
        if (!this.#ended && this.#response?.isPaused()) this.#response.resume();
        resolve(!this.#ended);
      };
      if (this.#unseenBytes > 0 || this.#ended) this.#wake();
    });
  }

  async #receive(response: IncomingMessage): Promise<void> {
    const status = response.statusCode ?? 0;
    this.#requestId = singleHeader(response, 'request-id') ?? singleHeader(response, 'x-request-id');
    if (status >= 200 && status <= 299) {
      this.#listen(response);
    } else {
      this.#refuse(response, await this.#readBeginning(response));
      this.#end();
    }
  }

  #refuse(response: IncomingMessage, body: string): void {
    const { now, context } = this.#settings;
    const refused = { status: response.statusCode ?? 0, headers: singleHeaders(response), body, now: now() };
    this.#fail(responseFailure(refused, context));
  }

  /** The answer is complete. Further bytes are discarded, so that the connection can serve the next request. */
  finish(): void {
    if (this.#closed) return;
    this.#stopReading();
    if (this.#response?.complete) return;
    const patience = setTimeout(() => this.#request?.destroy(), TAIL_MS).unref();
    this.#request?.once('close', () => clearTimeout(patience));
    this.#response?.resume();
  }

  /** Ends the connection, unless the answer was complete. */
  close(): void {
    if (this.#closed) return;
    this.#stopReading();
    this.#request?.destroy();
  }

  #stopReading(): void {
    this.#closed = true;
    this.#end();
  }

  /** Resolves with undefined when no answer comes. The exchange has the failure, unless it was closed. */
  async #send(): Promise<IncomingMessage | undefined> {
    const { headers, body, url } = this.#wire;
    const { request, agent } = url.startsWith('https:') ? await overTls() : OVER_TCP;
    const bytes = Buffer.from(body, 'utf8');
    return new Promise((resolve) => {
      const attempt = (isRetry: boolean) => {
        if (this.#closed) return resolve(undefined);
        const sent = request(url, {
          method: 'POST',
          agent,
          headers: { ...headers, ...this.#settings.secretHeaders, 'content-length': bytes.length },
        });
        this.#request = sent;
        sent.on('response', (response) => {
          this.#response = response;
          this.#idle?.refresh();
          resolve(response);
        });
        sent.on('error', (error: NodeJS.ErrnoException) => {
          // The other side may have closed a kept connection just before it was used again.
          if (sent.reusedSocket && !isRetry && !this.#closed && error.code === 'ECONNRESET') return attempt(true);
          this.#fail(networkFailure(error, this.#settings.context));
          resolve(undefined);
        });
        sent.on('close', () => {
          if (this.#request === sent && !this.#response) resolve(undefined);
        });
        sent.end(bytes);
      };
      this.#watchSilence();
      attempt(false);
    });
  }

  #listen(response: IncomingMessage): void {
    const { reader, context } = this.#settings;
    if (this.#closed) return;
    response.on('data', (chunk: Buffer) => {
      if (this.#ended) return;
      this.#idle?.refresh();
      this.#bytes += chunk.length;
      if (this.#bytes > MOST_BYTES) {
        this.#fail(malformedFailure(`sent more than ${MOST_BYTES / 1024 / 1024} MiB`, context));
        return this.close();
      }
      reader.take(chunk);
      if (reader.foreign !== undefined) {
        this.#refuse(response, reader.foreign);
        return this.close();
      }
      if (reader.answer.fault) return this.close();
      // Some servers keep the connection open behind their last event.
      if (reader.answer.isOver) return this.finish();
      if (reader.answer.hasReason) this.#finishSoon();
      this.#unseenBytes += chunk.length;
      if (this.#unseenBytes > MOST_UNSEEN_BYTES) response.pause();
      this.#wake?.();
    });
    response.on('end', () => this.#end());
    // A cut can also cause `aborted` or `error`; `close` always follows.
    response.on('error', () => {});
    response.on('close', () => {
      // An answer that said why it is over was whole, although the connection did not end as it should.
      if (!response.complete && !reader.answer.hasReason) this.#fail(cutFailure(context));
      this.#end();
    });
  }

  /** No more bytes are read. */
  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#idle);
    const { reader } = this.#settings;
    reader.end();
    if (this.#response && reader.foreign !== undefined) this.#refuse(this.#response, reader.foreign);
    this.#wake?.();
  }

  async #readBeginning(response: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => response.destroy(), Math.min(ERROR_BODY_MS, this.#settings.idleMs));
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        this.#bytes += chunk.length;
        if (this.#bytes >= MOST_ERROR_BYTES) break;
      }
    } catch {
      // The status is enough; a body that was cut only says less.
    } finally {
      clearTimeout(this.#idle);
    }
    return Buffer.concat(chunks).subarray(0, MOST_ERROR_BYTES).toString('utf8');
  }

  #finishSoon(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.finish(), this.#settings.afterReasonMs);
  }

  #watchSilence(): void {
    const { idleMs, context } = this.#settings;
    this.#idle = setTimeout(() => {
      // The reader may be slower than the model. That does not count as silence of the model.
      if (this.#response?.isPaused()) return this.#watchSilence();
      this.#fail(timeoutFailure(idleMs, context));
      this.close();
    }, idleMs);
  }

  /** The first failure is the cause. Failures that follow from closing the connection are ignored. */
  #fail(failure: ModelFailure): void {
    if (this.#closed) return;
    this.#failure ??= failure;
  }
}

/** Connections are kept, because a new one to a distant host costs more than everything that Atrium does in a run. */
const OVER_TCP = { request: httpRequest, agent: new HttpAgent({ keepAlive: true }) };

let tls: Promise<typeof OVER_TCP> | undefined;

/** Loaded when the first address needs it. */
function overTls(): Promise<typeof OVER_TCP> {
  tls ??= import('node:https').then(({ request, Agent }) => ({ request, agent: new Agent({ keepAlive: true }) }));
  return tls;
}

function singleHeaders(response: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(Object.keys(response.headers).map((name) => [name, singleHeader(response, name)]));
}

function singleHeader({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
