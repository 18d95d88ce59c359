// Whoever wants to know that something was handed over: hook packs that listen to `message:sent`, and the trajectory.

import type { RunParts } from '../agent/run-parts.ts';
import type { Records } from './create-records.ts';

export function tellDeliveries({ live, recorder }: Records, internalHook: RunParts['internalHook']): void {
  live.subscribe((event) => {
    if (event.type !== 'delivery-end') return;
    const { runId, sessionKey, part, outcome, text, surface } = event;
    void internalHook('message', 'sent', sessionKey, {
      to: surface.peer.id,
      content: text,
      success: outcome === 'sent',
      channelId: surface.channel,
      accountId: surface.accountId,
      conversationId: surface.peer.id,
    });
    recorder.deliveryEnded({ runId, sessionKey }, { part, outcome, channel: surface.channel, characters: text.length });
  });
}
