// Events that a hook pack listens to and that nothing ever fires: almost always a slip of the fingers, and otherwise a
// hook that would wait for ever without anybody noticing.

import { nearMatch } from '../../protocol/near-match.ts';
import type { HookPack } from './hook-pack.ts';

/** A sentence per event, with the one that was probably meant. */
export function describeUnknownEvents({ name, metadata }: Pick<HookPack, 'name' | 'metadata'>): string[] {
  const unknown = (metadata?.events ?? []).filter((event) => !KNOWN_EVENTS.includes(event));
  return unknown.map((event) => {
    const meant = nearMatch(event, KNOWN_EVENTS);
    const next = meant === undefined ? `Known events: ${KNOWN_EVENTS.join(', ')}.` : `Did you mean "${meant}"?`;
    return `The hook "${name}" listens to "${event}", which nothing fires. ${next}`;
  });
}

/** The events of hook packs, and their types, each of which stands for all its events. A test compares them with the docs. */
export const KNOWN_EVENTS = [
  'agent',
  'agent:bootstrap',
  'command',
  'command:new',
  'command:reset',
  'command:stop',
  'gateway',
  'gateway:startup',
  'gateway:shutdown',
  'gateway:pre-restart',
  'message',
  'message:received',
  'message:preprocessed',
  'message:sent',
  'session',
  'session:start',
  'session:end',
  'session:compact:before',
  'session:compact:after',
  'session:patch',
];

/** Events of the contract that nothing fires here yet. */
export const PENDING_EVENTS = ['message:transcribed'];
