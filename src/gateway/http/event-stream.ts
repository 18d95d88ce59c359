// A stream of server-sent events. Writing never waits and never throws. When a reader went away, or is so slow that
// memory would fill up, `gone` is called once.

export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly #gone: () => void;
  readonly #keepAlive: NodeJS.Timeout;

  constructor(gone: () => void) {
    this.#gone = gone;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => this.#leave(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: 65_536 }),
    );
    // Proxies close a connection on which nothing is sent.
    this.#keepAlive = setInterval(() => this.#write(': waiting\n\n'), KEEP_ALIVE_MS).unref();
  }

  /** Sends one event; the data must be one line, as JSON is. */
  tell(data: string, name?: string): void {
    this.#write(`${name === undefined ? '' : `event: ${name}\n`}data: ${data}\n\n`);
  }

  close(): void {
    clearInterval(this.#keepAlive);
    this.#controller?.close();
    this.#controller = undefined;
  }

  #write(text: string): void {
    if (!this.#controller) return;
    this.#controller.enqueue(encoder.encode(text));
    if ((this.#controller.desiredSize ?? 0) >= -MAX_BACKLOG_BYTES) return;
    this.#controller.error(new Error('The client reads too slowly.'));
    this.#leave();
  }

  #leave(): void {
    clearInterval(this.#keepAlive);
    this.#controller = undefined;
    this.#gone();
  }
}

const encoder = new TextEncoder();
const KEEP_ALIVE_MS = 15_000;
const MAX_BACKLOG_BYTES = 64 * 1_048_576;
