// One end of a connection between the gateway and the worker that carries bytes as a TCP connection does: in order, both
// ways at once, and with back-pressure, because a piece counts as sent when the other side has taken it. Node's own
// HTTP speaks over it on both sides. It knows nothing of HTTP itself.

import { Duplex } from 'node:stream';

/** What the other side may do with this end. These functions cross. */
export interface FarEnd {
  /** Resolves when there is room for more. */
  readonly write: (bytes: Uint8Array) => unknown;
  readonly end: () => unknown;
  readonly destroy: () => unknown;
}

/** Who is at the other end of the real connection. */
export interface SocketAddresses {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly remoteFamily?: string | undefined;
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
}

/** Larger pieces are divided, so that copying one does not hold up other plugins. */
const PIECE_BYTES = 1024 * 1024;

export class CrossingSocket extends Duplex {
  readonly remoteAddress: string | undefined;
  readonly remotePort: number | undefined;
  readonly remoteFamily: string | undefined;
  readonly localAddress: string | undefined;
  readonly localPort: number | undefined;
  #far: FarEnd | undefined;
  #begin: () => void = () => {};
  #hasRoom: () => void = () => {};

  constructor({ remoteAddress, remotePort, remoteFamily, localAddress, localPort }: SocketAddresses = {}) {
    super({ allowHalfOpen: true });
    this.remoteAddress = remoteAddress;
    this.remotePort = remotePort;
    this.remoteFamily = remoteFamily;
    this.localAddress = localAddress;
    this.localPort = localPort;
    // Its user hears of an error in its own request or response.
    this.on('error', () => {});
  }

  /** What was written before waits until then. */
  connect(far: FarEnd): void {
    this.#far = far;
    this.#begin();
  }

  /** This end, for the other side. */
  readonly near: FarEnd = {
    write: (bytes) => {
      if (this.destroyed || this.readableEnded) return undefined;
      if (this.push(bytes)) return undefined;
      return new Promise<void>((resolve) => {
        this.#hasRoom = resolve;
      });
    },
    end: () => void (this.destroyed || this.push(null)),
    destroy: () => void this.destroy(),
  };

  override _read(): void {
    this.#hasRoom();
  }

  override _write(chunk: Uint8Array, _encoding: unknown, done: (error?: Error | null) => void): void {
    this.#send(chunk).then(() => done(), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#whenConnected()
      .then(({ end }) => end())
      .then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#hasRoom();
    // After its end has been told, the other side closes when it has read everything.
    const isCut = error !== null || !this.writableFinished;
    // Not awaited, and not an error when the other side is gone.
    if (isCut) void Promise.resolve(this.#far?.destroy()).catch(() => {});
    done(error);
  }

  async #send(chunk: Uint8Array): Promise<void> {
    const { write } = await this.#whenConnected();
    for (let from = 0; from < chunk.byteLength; from += PIECE_BYTES) {
      await write(chunk.subarray(from, from + PIECE_BYTES));
    }
  }

  async #whenConnected(): Promise<FarEnd> {
    if (!this.#far) {
      await new Promise<void>((resolve) => {
        this.#begin = resolve;
      });
    }
    return this.#far as FarEnd;
  }

  // Of a TCP connection, what HTTP and plugins call and what has no meaning here.
  setTimeout(): this {
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}
