// Hands one message, album, change or press to the gateway: files are fetched before it, and the press is acknowledged
// after it. Resolves when the gateway has it stored, or when there is nothing to store; rejects when the gateway could not
// store it, so that Telegram keeps the update.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Update } from 'grammy/types';
import type { Api } from 'grammy/web';
import type { ChannelPort } from '../../src/channels/channel.ts';
import { type AttachmentRef, formatBytes } from '../../src/protocol/attachment.ts';
import { isAtriumError } from '../../src/protocol/errors.ts';
import { oneLine } from '../../src/protocol/one-line.ts';
import { type FetchedFile, fetchFile } from './fetch-file.ts';
import { type ReadContext, type ReadUpdate, readUpdates } from './inbound.ts';
import type { MessageFile } from './message-content.ts';
import { peerOf, topicOf } from './surface.ts';

export interface TakeParts extends ReadContext {
  readonly api: Api;
  readonly port: ChannelPort;
  readonly warn: (sentence: string) => void;
  readonly signal: AbortSignal;
}

/** A file is asked for so often; then the message goes on without it and says so. */
const MOST_TRIES = 3;
const TRY_AGAIN_MS = 500;
const LONGEST_WAIT_MS = 5_000;

/** More than one update means the items of one album. */
export async function takeUpdates(updates: readonly Update[], parts: TakeParts): Promise<void> {
  const read = readSafely(updates, parts);
  const { port, memory, api, account } = parts;
  if (read.kind === 'message') return takeMessage(read, updates, parts);
  if (read.kind === 'changes') {
    for (const change of read.changes) await port.receiveChange(change);
  }
  if (read.kind === 'press') {
    if (read.inbound) await port.receive(read.inbound);
    const note = read.inbound ? {} : { text: 'This button is too old. Please type your answer.', show_alert: true };
    // People see a press as unanswered without this; it is no reason to take the press again.
    await api.answerCallbackQuery(read.queryId, note).catch(() => {});
  }
  if (read.kind === 'moved') {
    if (memory.currentId(read.from) === read.to) return;
    memory.noteMove(read.from, read.to);
    if (!(read.from in account.groups)) return;
    const setting = `${account.path}.groups`;
    parts.warn(
      `The Telegram group ${read.from} is now the supergroup ${read.to}. Its settings are still used; write ${read.to} in the place of ${read.from} in ${setting}.`,
    );
  }
}

async function takeMessage(
  { inbound, files, chat, messageIds }: Extract<ReadUpdate, { readonly kind: 'message' }>,
  updates: readonly Update[],
  parts: TakeParts,
): Promise<void> {
  const { port, known, memory, account, signal } = parts;
  const attachments: AttachmentRef[] = [];
  const lines = inbound.text === '' ? [] : [inbound.text];
  for (const file of files) {
    const taken = await keepFile(file, parts);
    if (typeof taken === 'string') lines.push(`[The file ${describe(file)} could not be taken: ${taken}.]`);
    else attachments.push(taken);
  }
  signal.throwIfAborted();
  await port.receive({
    ...inbound,
    text: lines.join('\n'),
    ...(attachments.length > 0 && { attachments }),
  });
  const message = updates[0]?.message ?? updates[0]?.channel_post;
  const topic = message && topicOf(message, account);
  const [first] = messageIds;
  for (const id of messageIds) known.note(chat.id, id, { topic, ...(id !== first && { album: first }) });
  const { kind, id } = peerOf(chat);
  memory.noteChat(id, { kind, name: oneLine(chat.title ?? inbound.sender.name ?? '', 200) });
}

/** The kept file, or in words why there is none. */
async function keepFile(file: MessageFile, parts: TakeParts): Promise<AttachmentRef | string> {
  const fetched = await fetchPatiently(file, parts);
  if (fetched.outcome !== 'fetched') return fetched.reason;
  try {
    return await parts.port.keep({ name: file.name, bytes: fetched.bytes });
  } catch (error) {
    // The gateway does not want this file. Every other error is a failure to store, and the message comes again.
    if (isAtriumError(error) && error.status < 500) return oneLine(error).replace(/\.$/, '');
    throw error;
  }
}

async function fetchPatiently(file: MessageFile, parts: TakeParts): Promise<FetchedFile> {
  const { signal } = parts;
  for (let attempt = 1; ; attempt++) {
    const fetched = await fetchFile(file, parts);
    signal.throwIfAborted();
    if (fetched.outcome !== 'retry' || attempt === MOST_TRIES) return fetched;
    const waitMs = Math.min(fetched.afterMs ?? TRY_AGAIN_MS * attempt, LONGEST_WAIT_MS);
    await sleep(waitMs, undefined, { signal });
  }
}

/** An update that cannot be read would be handed out for ever, so it is told and left out. */
function readSafely(updates: readonly Update[], parts: TakeParts): ReadUpdate {
  try {
    return readUpdates(updates, parts);
  } catch (error) {
    const ids = updates.map((update) => update.update_id).join(', ');
    parts.warn(`The Telegram update ${ids} could not be read and is left out: ${oneLine(error)}.`);
    return { kind: 'ignored' };
  }
}

function describe({ name, size }: MessageFile): string {
  return size === undefined ? name : `${name} (${formatBytes(size)})`;
}
