// A small TCP proxy between a client and a server, whose connections a test can cut or stop at any moment.

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

export class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #cuts = 0;
  #isStopped = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** `target` is the path of a socket. */
  static async start(target: string): Promise<CuttingProxy> {
    const server = createServer();
    const proxy = new CuttingProxy(server);
    server.on('connection', (client) => proxy.#join(client, connect(target)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get cuts(): number {
    return this.#cuts;
  }

  /** Cuts every connection that there is now; new ones can be made at once. */
  cut(): void {
    this.#cuts += 1;
    for (const socket of [...this.#sockets]) socket.destroy();
  }

  /**
   * Forwards nothing any more on the connections that there are now, and closes none of them. With `alsoNew`, new ones are accepted and
   * nothing of them is forwarded either, until `resume`.
   */
  stop({ alsoNew = false } = {}): void {
    this.#isStopped = alsoNew;
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** New connections work again. Those that were stopped stay so. */
  resume(): void {
    this.#isStopped = false;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket, server: Socket): void {
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      if (!this.#isStopped) socket.pipe(other);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }
}
