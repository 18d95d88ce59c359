// What was written while the account had no session: read from the API after the mark, oldest first, in the order of the
// conversation. It is bounded: the last day, and so many messages of one place; what is left out is said. Messages that
// were read before come again, and are dropped by their ids.

import type { APIMessage } from '@discordjs/core';
import type { DiscordApi } from './discord-api.ts';
import { DiscordFailure } from './discord-failure.ts';
import { isLater, snowflakeAt, timeOfSnowflake } from './snowflake.ts';

const PAGE = 100;
const MOST_MESSAGES = 500;
const LONGEST_ABSENCE_MS = 24 * 3_600_000;
/** Messages of different channels may arrive a little out of order. */
const MARGIN_MS = 10_000;

/** The id after which messages are read. */
export function beginningOf(mark: string, now: number): string {
  return snowflakeAt(Math.max(timeOfSnowflake(mark) - MARGIN_MS, now - LONGEST_ABSENCE_MS));
}

/** Whether there may be something to read in a place. */
export function hasMissed(lastMessageId: string | undefined, beginning: string): boolean {
  return lastMessageId !== undefined && isLater(lastMessageId, beginning);
}

/** How far the reading of one place has come. An attempt after a failure goes on there. */
export interface ReadPosition {
  after: string;
  /** The messages that may still be read. */
  left: number;
}

export function positionAt(beginning: string): ReadPosition {
  return { after: beginning, left: MOST_MESSAGES };
}

/**
 * Hands over each message that was missed, one after the other. Resolves with false when there were more than are read.
 * A place that may no longer be read counts as read.
 */
export async function catchUp(
  api: DiscordApi,
  channelId: string,
  position: ReadPosition,
  receive: (message: APIMessage) => Promise<void>,
): Promise<boolean> {
  while (position.left > 0) {
    const found = await readPage(api, channelId, position.after);
    for (const message of [...found].reverse()) {
      await receive(message);
      position.after = message.id;
      position.left -= 1;
    }
    if (found.length < PAGE) return true;
  }
  return false;
}

async function readPage(api: DiscordApi, channelId: string, after: string): Promise<readonly APIMessage[]> {
  try {
    return await api.messages(channelId, { limit: PAGE, after });
  } catch (error) {
    if (error instanceof DiscordFailure && error.kind === 'refused') return [];
    throw error;
  }
}
