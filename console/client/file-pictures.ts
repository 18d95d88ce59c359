// The pictures and files of a talk as addresses that the page can show. A file that was chosen here is shown from the
// browser's memory; others are fetched from the gateway, once. A file that cannot be had is undefined, never an error.

import type { GatewayClient } from './gateway-client.ts';

export class FilePictures {
  readonly #client: Pick<GatewayClient, 'attachment'>;
  readonly #addresses = new Map<string, Promise<string | undefined>>();

  constructor(client: Pick<GatewayClient, 'attachment'>) {
    this.#client = client;
  }

  /** Shows this file for the hash from now on. */
  remember(hash: string, file: Blob): void {
    if (!this.#addresses.has(hash)) this.#addresses.set(hash, Promise.resolve(URL.createObjectURL(file)));
  }

  addressOf(sessionKey: string | undefined, hash: string): Promise<string | undefined> {
    const known = this.#addresses.get(hash);
    if (known || sessionKey === undefined) return known ?? Promise.resolve(undefined);
    const address = this.#client.attachment(sessionKey, hash).then(
      (file) => URL.createObjectURL(file),
      () => undefined,
    );
    this.#addresses.set(hash, address);
    return address;
  }
}
