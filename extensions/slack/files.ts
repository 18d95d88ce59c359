// The bytes of files, in both directions. A file is fetched with the token only from Slack's own hosts or from the
// configured Web API, within a bound and without following redirects; what cannot be had is told in words.

import { type AttachmentRef, cleanName, describeAttachment, formatBytes } from '../../src/protocol/attachment.ts';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';
import { timeLimit } from '../../src/protocol/time-limit.ts';
import { readBounded, type SlackAnswer, type SlackApi, timedOut } from './api.ts';
import { unreachable } from './failure.ts';

export interface SlackFilesSettings {
  readonly api: SlackApi;
  readonly token: string;
  readonly apiRoot?: string | undefined;
  readonly maxBytes: number;
  readonly closing: AbortSignal;
}

export type ReadFile =
  | { readonly name: string; readonly bytes: Uint8Array }
  | { readonly name: string; readonly problem: string };

const FETCH_LIMIT_MS = 60_000;
/** More files of one message are only named. */
export const MOST_FILES = 8;

export class SlackFiles {
  readonly #settings: SlackFilesSettings;

  constructor(settings: SlackFilesSettings) {
    this.#settings = settings;
  }

  /** Reads a file of a message, as the event describes it. */
  async read(file: JsonObject): Promise<ReadFile> {
    const { maxBytes } = this.#settings;
    const described = typeof file.url_private === 'string' ? file : await this.#describe(file);
    const name = cleanName(String(described.name ?? described.title ?? file.name ?? file.id ?? ''));
    const size = Number(described.size ?? 0);
    if (size > maxBytes) return { name, problem: `it has ${formatBytes(size)}, more than ${formatBytes(maxBytes)}` };
    const url = described.url_private_download ?? described.url_private;
    if (typeof url !== 'string') return { name, problem: 'Slack gives no address for it' };
    if (!this.#isTrusted(url)) return { name, problem: 'it is not on a host of Slack' };
    return { name, ...(await this.#fetch(url, /\.html?$/i.test(name))) };
  }

  /** Uploads the bytes. People do not see the file before it is shared. */
  async upload(ref: AttachmentRef, bytes: Uint8Array, signal: AbortSignal): Promise<SlackAnswer<string>> {
    const { api, closing } = this.#settings;
    const args = { filename: ref.name, length: bytes.length };
    const place = await api.call('files.getUploadURLExternal', args, signal);
    if (!place.ok) return place;
    const { upload_url: url, file_id: id } = place.value;
    if (typeof url !== 'string' || typeof id !== 'string' || !this.#isTrusted(url)) {
      return failed(`Slack gave no place to upload ${describeAttachment(ref)}.`);
    }
    const limit = timeLimit(FETCH_LIMIT_MS, timedOut, closing, signal);
    try {
      const response = await fetch(url, {
        method: 'POST',
        body: Buffer.from(bytes),
        redirect: 'error',
        signal: limit.signal,
      });
      await response.body?.cancel();
      return response.ok ? { ok: true, value: id } : failed(`Slack took no upload: HTTP status ${response.status}.`);
    } catch {
      return failed('The upload to Slack broke off.');
    } finally {
      limit.clear();
    }
  }

  /** Files of other workspaces come without their address. */
  async #describe(file: JsonObject): Promise<JsonObject> {
    if (typeof file.id !== 'string') return file;
    const answer = await this.#settings.api.call('files.info', { file: file.id });
    return answer.ok && isJsonObject(answer.value.file) ? answer.value.file : file;
  }

  async #fetch(url: string, isPage: boolean): Promise<{ readonly bytes: Uint8Array } | { readonly problem: string }> {
    const { token, maxBytes, closing } = this.#settings;
    const limit = timeLimit(FETCH_LIMIT_MS, timedOut, closing);
    try {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(url, { headers, redirect: 'error', signal: limit.signal });
      const isSignIn = !isPage && (response.headers.get('content-type') ?? '').startsWith('text/html');
      if (!response.ok || isSignIn) {
        await response.body?.cancel();
        if (isSignIn) return { problem: 'Slack asks to sign in; the scope files:read may be missing' };
        return { problem: `Slack answered with the HTTP status ${response.status}` };
      }
      const bytes = await readBounded(response, maxBytes);
      return bytes ? { bytes } : { problem: `it is larger than ${formatBytes(maxBytes)}` };
    } catch {
      return { problem: 'Slack could not be reached for it' };
    } finally {
      limit.clear();
    }
  }

  /** The token must not reach another host, whatever an event says. */
  #isTrusted(address: string): boolean {
    if (!URL.canParse(address)) return false;
    const { protocol, hostname, origin } = new URL(address);
    const { apiRoot } = this.#settings;
    if (apiRoot !== undefined && URL.canParse(apiRoot) && new URL(apiRoot).origin === origin) return true;
    return protocol === 'https:' && SLACK_HOSTS.some((host) => hostname === host || hostname.endsWith(`.${host}`));
  }
}

const SLACK_HOSTS = ['slack.com', 'slack-files.com', 'slack-edge.com', 'slack-gov.com'];

function failed(reason: string): SlackAnswer<string> {
  return { ok: false, failure: unreachable(reason, false) };
}
