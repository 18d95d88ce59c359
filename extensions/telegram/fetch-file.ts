// Fetches a file that came with a message, with a bound on its size. Never throws: a file that cannot be had is a reason
// in words, and the message names it. The address holds the token, so no error of a request is ever shown.

import type { Api } from 'grammy/web';
import { formatBytes } from '../../src/protocol/attachment.ts';
import type { TelegramAccount } from './account.ts';
import { readApiFailure } from './api-failure.ts';
import type { MessageFile } from './message-content.ts';

export type FetchedFile =
  | { readonly outcome: 'fetched'; readonly bytes: Uint8Array }
  /** It may be had later. */
  | { readonly outcome: 'retry'; readonly reason: string; readonly afterMs?: number }
  | { readonly outcome: 'failed'; readonly reason: string };

export async function fetchFile(
  file: MessageFile,
  { api, account, signal }: { api: Api; account: TelegramAccount; signal: AbortSignal },
): Promise<FetchedFile> {
  const { apiRoot, token, maxFileBytes: most } = account;
  const tooLarge: FetchedFile = { outcome: 'failed', reason: `it is larger than ${formatBytes(most)}` };
  if ((file.size ?? 0) > most) return tooLarge;
  const path = await findPath(file.fileId, api, signal);
  if ('outcome' in path) return path;
  try {
    const place = path.path.split('/').map(encodeURIComponent).join('/');
    const response = await fetch(`${apiRoot}/file/bot${token}/${place}`, { signal, redirect: 'error' });
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      const reason = `Telegram answered with the status ${response.status}`;
      return { outcome: response.status >= 500 || response.status === 429 ? 'retry' : 'failed', reason };
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body) {
      size += chunk.length;
      // Leaving the loop ends the request.
      if (size > most) return tooLarge;
      chunks.push(chunk);
    }
    return { outcome: 'fetched', bytes: Buffer.concat(chunks) };
  } catch {
    return { outcome: 'retry', reason: 'Telegram did not hand it over' };
  }
}

async function findPath(
  fileId: string,
  api: Api,
  signal: AbortSignal,
): Promise<{ readonly path: string } | FetchedFile> {
  try {
    const { file_path: path } = await api.getFile(fileId, signal as Parameters<Api['getFile']>[1]);
    // A Bot API server of one's own can answer with a path on its disk, which is not read.
    const isRelative = path !== undefined && !path.startsWith('/') && !path.split('/').includes('..');
    if (isRelative) return { path };
    return { outcome: 'failed', reason: 'the Bot API server hands out paths on its own disk' };
  } catch (error) {
    const failure = readApiFailure(error);
    if (failure.kind === 'limited') return { outcome: 'retry', reason: failure.words, afterMs: failure.afterMs };
    return { outcome: failure.kind === 'unreachable' ? 'retry' : 'failed', reason: failure.words };
  }
}
