// The section `botLoopProtection`: how many messages of another bot are answered before the agent pauses. Platforms on
// which a bot can read another one share it.

import type { z } from 'zod';
import { flag, positive, shared } from '../schema-kinds.ts';

export const botLoopProtection = shared({
  enabled: flag().optional().describe('Default true.'),
  maxEventsPerWindow: positive().optional().describe('So many messages of one bot in one conversation. Default 20.'),
  windowSeconds: positive().optional().describe('Within this time. Default 60.'),
  cooldownSeconds: positive().optional().describe('More are left alone for this time. Default 60.'),
}).describe('Keeps two bots from answering each other for ever, where `allowBots` lets one in.');

/** Nothing where the protection is switched off. */
export function botLoopOf(settings: z.infer<typeof botLoopProtection>) {
  if (settings.enabled === false) return undefined;
  const { maxEventsPerWindow = 20, windowSeconds = 60, cooldownSeconds = 60 } = settings;
  return { most: maxEventsPerWindow, windowMs: windowSeconds * 1_000, cooldownMs: cooldownSeconds * 1_000 };
}
