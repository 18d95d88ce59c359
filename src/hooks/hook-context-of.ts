// Builds the context of every hook from what is at hand: a run, a session, a message that came in, or an answer that
// goes out. Unknown fields are left out. The two families give `channelId` different meanings, as the plugin contract
// says.

import type { Sender, Surface } from '../protocol/inbound.ts';
import type { ConversationHookContext, HookContext, MessageHookContext } from './hook-context.ts';

/** A run, a session, or an inbound message, as far as it is known. Fields of the context itself are passed on. */
export interface AtHand extends HookContext {
  /** The place where the people are; null or undefined where there is none. */
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
