// What was written in a place before, oldest first. In a thread, the message that it began from is the first of it.

import type { APIMessage } from '@discordjs/core';
import type { ActionOutcome, HistoryMessage, HistoryRequest } from '../../src/channels/channel-capabilities.ts';
import { actionOutcomeOf, isUnknown, UNKNOWN } from './discord-failure.ts';
import { senderOf } from './inbound.ts';
import type { LiveAccount } from './live-account.ts';
import { targetOf } from './outbound.ts';
import { isLater } from './snowflake.ts';
import { isUnopenedThread } from './threads.ts';

const PAGE = 100;
const SPOKEN_TYPES = [0, 19, 20];

export async function readHistory(
  live: LiveAccount,
  { surface, limit, before }: HistoryRequest,
  signal: AbortSignal,
): Promise<ActionOutcome<readonly HistoryMessage[]>> {
  const { api } = live;
  try {
    const botId = await live.botId();
    const channelId = await targetOf(live, surface, signal);
    const found: APIMessage[] = [];
    let end = before;
    let isWhole = false;
    while (found.length < limit && !isWhole) {
      const page = await api.messages(channelId, { limit: PAGE, before: end }, signal);
      found.push(...page.filter(({ type }) => SPOKEN_TYPES.includes(type)));
      end = page.at(-1)?.id;
      isWhole = page.length < PAGE;
    }
    const { threadId } = surface;
    if (isWhole && threadId !== undefined && found.every(({ id }) => id !== threadId)) {
      const starter = await starterOf(live, surface.peer.id, threadId, signal);
      if (starter && (before === undefined || isLater(before, starter.id))) found.push(starter);
    }
    const latest = found.slice(0, limit).reverse();
    return { outcome: 'done', value: latest.map((message) => historyMessage(message, botId)) };
  } catch (error) {
    // A thread that no answer has opened yet has no past.
    if (isUnopenedThread(error, surface)) return { outcome: 'done', value: [] };
    return actionOutcomeOf(error);
  }
}

/** Undefined for a thread that began without a message. */
async function starterOf(
  { api }: LiveAccount,
  parentId: string,
  threadId: string,
  signal: AbortSignal,
): Promise<APIMessage | undefined> {
  try {
    return await api.message(parentId, threadId, signal);
  } catch (error) {
    if (isUnknown(error, UNKNOWN.message, UNKNOWN.channel)) return undefined;
    throw error;
  }
}

function historyMessage({ id, author, content, timestamp, attachments }: APIMessage, botId: string): HistoryMessage {
  const files = attachments.map(({ filename }) => `[File: ${filename}]`);
  return {
    messageId: id,
    sender: senderOf(author),
    text: [content, ...files].filter((line) => line !== '').join('\n'),
    at: Date.parse(timestamp),
    ...(author.id === botId && { isOwn: true as const }),
  };
}
