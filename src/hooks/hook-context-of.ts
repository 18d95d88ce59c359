// Builds the context of every hook from what is at hand: a run, a session, a message on its way in, an answer on its way
// out. What is not known is left out. The families differ in what they call the channel, as the plugin contract has it.

import type { Sender, Surface } from '../protocol/inbound.ts';
import type { ConversationHookContext, HookContext, MessageHookContext } from './hook-context.ts';

/** A run, a session, or what came in, as far as it is known. Fields of the context itself are passed on. */
export interface AtHand extends HookContext {
  /** Where the people are; null or undefined where there is no such place. */
  readonly surface?: Surface | null | undefined;
  readonly sender?: Sender | undefined;
}

export interface HookContextFamilies {
  /** Hooks of runs, tools and sessions: `channelId` is the conversation. */
  readonly conversation: ConversationHookContext;
  /** Hooks of messages on their way in or out: `channelId` is the platform. */
  readonly message: MessageHookContext;
}

export function hookContextOf<Family extends keyof HookContextFamilies>(
  family: Family,
  { surface, sender, ...known }: AtHand,
): HookContextFamilies[Family] {
  const place = surface
    ? {
        messageProvider: surface.channel,
        channelId: family === 'message' ? surface.channel : surface.peer.id,
        accountId: surface.accountId,
        conversationId: surface.peer.id,
        threadId: surface.threadId,
      }
    : {};
  return { ...known, ...(sender ? { senderId: sender.id } : {}), ...place };
}
