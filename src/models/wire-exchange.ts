// One HTTP exchange with a provider: it sends a recorded request with the secrets added, and passes the answer on as a
// stream of bytes. Closing it ends the connection; silence and endless answers end it too. The stream of bytes never
// fails, it only ends: the failure is kept as a ModelFailure. Redirects are not followed, because a key must not be
// sent to another host. The exchange does not know the events inside.

import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { EventMender } from './event-mender.ts';
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
  readonly mender: EventMender;
  readonly now: () => number;
  readonly context: FailureContext;
}

/** Thrown to leave the provider's code when there is no stream to parse. The exchange has the failure. */
export class ExchangeFailedError extends Error {}

/**
 * An answer with more bytes is a fault. The limit is far above what an answer may say, because a provider that wraps
 * every token in its own event sends fifty times as much.
 */
const MOST_BYTES = 64 * 1024 * 1024;

/** This much of an error body is enough to find its message. */
const MOST_ERROR_BYTES = 64 * 1024;

/** An error body follows its status at once. The status is enough without it. */
const ERROR_BODY_MS = 5_000;

/** After the last event, the end of the response follows at once. */
const TAIL_MS = 1_000;

/** After the reason of its end, an answer has this long for the rest: the usage and the last event. */
const AFTER_REASON_MS = 5_000;

export class WireExchange {
  readonly #wire: WireRequest;
  readonly #settings: ExchangeSettings;
  #request: ClientRequest | undefined;
  #response: IncomingMessage | undefined;
  #idle: NodeJS.Timeout | undefined;
  #endBytes: (() => void) | undefined;
  #closed = false;
  #failure: ModelFailure | undefined;
  #bytes = 0;
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

  /**
   * Resolves with a stream of events. Rejects with ExchangeFailedError when the answer is something else, or when there
   * is none.
   */
  async open(): Promise<Response> {
    const response = await this.#send();
    const status = response.statusCode ?? 0;
    const headers = singleHeaders(response);
    this.#requestId = headers['request-id'] ?? headers['x-request-id'];
    const contentType = headers['content-type'] ?? '';
    if (status < 200 || status > 299 || /^(?:application\/json|text\/html)\b/i.test(contentType)) {
      const body = await this.#readBeginning(response);
      this.#fail(responseFailure({ status, headers, body, now: this.#settings.now() }, this.#settings.context));
      throw new ExchangeFailedError();
    }
    return new Response(this.#byteStream(response));
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
    clearTimeout(this.#idle);
    this.#endBytes?.();
  }

  async #send(): Promise<IncomingMessage> {
    const { headers, body, url } = this.#wire;
    const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
    const agent = await keepAliveAgent(url);
    const bytes = Buffer.from(body, 'utf8');
    return new Promise((resolve, reject) => {
      const attempt = (isRetry: boolean) => {
        if (this.#closed) return reject(new ExchangeFailedError());
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
          reject(new ExchangeFailedError());
        });
        sent.on('close', () => {
          if (this.#request === sent && !this.#response) reject(new ExchangeFailedError());
        });
        sent.end(bytes);
      };
      this.#watchSilence();
      attempt(false);
    });
  }

  #byteStream(response: IncomingMessage): ReadableStream<Uint8Array> {
    return new ReadableStream({
      start: (controller) => {
        const { mender } = this.#settings;
        let ended = false;
        const end = () => {
          if (ended) return;
          ended = true;
          clearTimeout(this.#idle);
          const rest = mender.rest();
          if (rest.length > 0) controller.enqueue(rest);
          controller.close();
        };
        this.#endBytes = end;
        if (this.#closed) return end();
        response.on('data', (chunk: Buffer) => {
          if (ended) return;
          this.#idle?.refresh();
          this.#bytes += chunk.length;
          if (this.#bytes > MOST_BYTES) {
            this.#fail(malformedFailure(`sent more than ${MOST_BYTES / 1024 / 1024} MiB`, this.#settings.context));
            return this.close();
          }
          const bytes = mender.take(chunk);
          if (bytes.length > 0) controller.enqueue(bytes);
          // Some servers keep the connection open behind their last event.
          if (mender.isOver) return this.finish();
          if (mender.hasReason) this.#finishSoon();
          if ((controller.desiredSize ?? 0) <= 0) response.pause();
        });
        response.on('end', end);
        // A cut can also cause `aborted` or `error`; `close` always follows.
        response.on('error', () => {});
        response.on('close', () => {
          // An answer that said why it is over was whole, although the connection did not end as it should.
          if (!response.complete && !mender.hasReason) this.#fail(cutFailure(this.#settings.context));
          end();
        });
      },
      pull: () => {
        response.resume();
      },
      cancel: () => this.close(),
    });
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
    this.#idle = setTimeout(() => this.finish(), AFTER_REASON_MS);
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

const agents = new Map<string, Promise<Agent>>();

/** Connections are kept, because a new one to a distant host costs more than everything that Atrium does in a run. */
function keepAliveAgent(url: string): Promise<Agent> {
  const scheme = url.startsWith('https:') ? 'https' : 'http';
  let agent = agents.get(scheme);
  if (!agent) {
    agent = (scheme === 'https' ? import('node:https') : import('node:http')).then(
      ({ Agent }) => new Agent({ keepAlive: true }),
    );
    agents.set(scheme, agent);
  }
  return agent;
}

function singleHeaders(response: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
}
