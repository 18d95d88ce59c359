// Whoever wants to know that something was handed over: hook packs that listen to `message:sent`, and the trajectory.

import type { RunParts } from '../agent/run-parts.ts';
import type { Records } from './create-records.ts';

export function tellDeliveries({ live, recorder }: Records, internalHook: RunParts['internalHook']): void {
  live.subscribe((event) => {
    if (event.type !== 'delivery-end') return;
    const { runId, sessionKey, part, outcome, text, surface, messageId, suppressed } = event;
    const error = suppressed?.reason ?? event.error;
    void internalHook('message', 'sent', sessionKey, {
      to: surface.peer.id,
      content: text,
      success: outcome === 'sent',
      channelId: surface.channel,
      accountId: surface.accountId,
      conversationId: surface.peer.id,
      isGroup: surface.peer.kind !== 'direct',
      ...(surface.peer.kind === 'direct' ? {} : { groupId: surface.peer.id }),
      ...(messageId === undefined ? {} : { messageId }),
      ...(error === undefined ? {} : { error }),
    });
    recorder.deliveryEnded(
      { runId, sessionKey },
      { part, outcome, channel: surface.channel, characters: text.length, ...(suppressed ? { suppressed } : {}) },
    );
  });
}
