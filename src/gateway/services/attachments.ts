// The files of messages, for clients: they upload one and name it in a message, or name a place on the web to take it
// from; and they read back what a session has. An address on the web obeys the rules of `web_fetch`.

import type { AttachmentStore, GivenFile } from '../../attachments/attachment-store.ts';
import {
  AttachmentNotUploadedError,
  AttachmentTooLargeError,
  AttachmentUnknownError,
} from '../../attachments/errors.ts';
import type { AttachmentRef, AttachmentSource, NamedUpload, Upload } from '../../protocol/attachment.ts';
import { timeLimit } from '../../protocol/time-limit.ts';
import { WebFetchError } from '../../tools/errors.ts';
import { ownAddresses, resolveBySystem, type WebFetchLimits } from '../../tools/web/web-fetch.ts';

export interface AttachmentsParts {
  readonly files: AttachmentStore;
  readonly web: WebFetchLimits;
}

/** How a client names a file in a message. */
export interface UploadName {
  readonly id: string;
}

export class Attachments {
  readonly #parts: AttachmentsParts;

  constructor(parts: AttachmentsParts) {
    this.#parts = parts;
  }

  /** For text that is quoted from files. */
  get source(): AttachmentSource {
    return this.#parts.files;
  }

  keep(file: GivenFile): Promise<AttachmentRef> {
    return this.#parts.files.keep(file);
  }

  upload(file: GivenFile): Promise<Upload> {
    return this.#parts.files.upload(file);
  }

  /** The files that a client uploaded before. */
  findUploads(named: readonly UploadName[]): Promise<readonly NamedUpload[]> {
    return Promise.all(
      named.map(async ({ id }) => {
        const found = await this.#parts.files.findUpload(id);
        if (!found) throw new AttachmentNotUploadedError({ id });
        return { ...found, upload: id };
      }),
    );
  }

  /** A file of a session; a file of another session does not exist here. */
  async read(sessionKey: string, hash: string): Promise<AttachmentRef & { readonly bytes: Buffer }> {
    const file = await this.#parts.files.readFor(sessionKey, hash);
    if (!file) throw new AttachmentUnknownError({ hash });
    return file;
  }

  /** Takes a file from the web and keeps it. */
  async fetch(address: string, stop: AbortSignal): Promise<AttachmentRef> {
    const { files, web } = this.#parts;
    const { maxBytes } = files.limits;
    const { allowHosts, maxRedirects, timeoutMs } = web;
    const late = () => new WebFetchError({ url: address, problem: `it took longer than ${timeoutMs / 1_000} seconds` });
    const { signal, clear } = timeLimit(timeoutMs, late, stop);
    try {
      const { fetchPage } = await import('../../tools/web/fetch-page.ts');
      const rules = { resolveName: resolveBySystem, ownAddresses, allowHosts };
      const page = await fetchPage(address, { ...rules, maxRedirects, maxBytes, signal, wants: () => true });
      const name = nameIn(page.url);
      if (page.status < 200 || page.status > 299)
        throw new WebFetchError({ url: address, problem: `it answered with status ${page.status}` });
      if (page.isCut) throw new AttachmentTooLargeError({ file: name, limit: maxBytes });
      return await files.keep({ name, bytes: page.body });
    } finally {
      clear();
    }
  }
}

function nameIn({ pathname, host }: URL): string {
  const last = pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || host;
  } catch {
    return last || host;
  }
}
