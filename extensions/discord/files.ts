// The files that people send: fetched from Discord's own servers, up to the account's bound, and kept. A file that cannot
// be had is named in the text with the reason, so that the agent knows that something is missing.

import { setTimeout as sleep } from 'node:timers/promises';
import type { APIAttachment } from '@discordjs/core';
import type { ChannelPort } from '../../src/channels/channel.ts';
import { type AttachmentRef, cleanName, formatBytes } from '../../src/protocol/attachment.ts';
import { isAtriumError } from '../../src/protocol/errors.ts';
import type { DiscordAccount } from './account.ts';

export interface KeptFiles {
  readonly refs: readonly AttachmentRef[];
  /** One line for each file that could not be had. */
  readonly missing: readonly string[];
}

const HOSTS = ['cdn.discordapp.com', 'media.discordapp.net'];
const ATTEMPTS = 3;
const TIMEOUT_MS = 60_000;

export async function keepFiles(
  files: readonly APIAttachment[],
  account: Pick<DiscordAccount, 'apiRoot' | 'maxFileBytes'>,
  port: Pick<ChannelPort, 'keep'>,
): Promise<KeptFiles> {
  const refs: AttachmentRef[] = [];
  const missing: string[] = [];
  for (const file of files) {
    const kept = await keepFile(file, account, port);
    if (typeof kept === 'string') missing.push(`[File: ${cleanName(file.filename)}. ${kept}]`);
    else refs.push(kept);
  }
  return { refs, missing };
}

/** Gives a sentence where the file cannot be had. */
async function keepFile(
  file: APIAttachment,
  account: Pick<DiscordAccount, 'apiRoot' | 'maxFileBytes'>,
  port: Pick<ChannelPort, 'keep'>,
): Promise<AttachmentRef | string> {
  const { maxFileBytes } = account;
  if (file.size > maxFileBytes) return `It is larger than ${formatBytes(maxFileBytes)} and was not fetched.`;
  const bytes = await fetchBytes(file.url, account);
  if (typeof bytes === 'string') return bytes;
  try {
    return await port.keep({ name: cleanName(file.filename), bytes });
  } catch (error) {
    // Another error is the store's, and then the whole message is tried again.
    if (isAtriumError(error)) return 'It is empty or too large to be kept.';
    throw error;
  }
}

async function fetchBytes(
  address: string,
  { apiRoot, maxFileBytes }: Pick<DiscordAccount, 'apiRoot' | 'maxFileBytes'>,
): Promise<Uint8Array | string> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isOurs = url && (url.host === new URL(apiRoot).host || (HOSTS.includes(url.host) && url.protocol === 'https:'));
  if (!url || !isOurs) return 'Its address is not one of Discord.';
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (response.ok) return await readAtMost(response, maxFileBytes);
      await response.body?.cancel();
      if (response.status < 500) return 'Discord does not have it any more.';
    } catch {
      // It is tried again below.
    }
    if (attempt === ATTEMPTS) return 'It could not be fetched from Discord.';
    await sleep(200 * 2 ** attempt);
  }
}

async function readAtMost(response: Response, most: number): Promise<Uint8Array | string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > most) return `It is larger than ${formatBytes(most)} and was not kept.`;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
