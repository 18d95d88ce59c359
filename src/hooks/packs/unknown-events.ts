// Finds events that a hook pack listens to but that are never fired. Such a name is almost always a typing mistake, and
// without a message the author would not notice that the hook never runs.

import { nearMatch } from '../../protocol/near-match.ts';
import { HOOK_CATALOG, type HookName, type HookRow } from '../catalog.ts';
import type { PackHookName } from '../hook-types.ts';
import type { HookPack } from './hook-pack.ts';

/** One sentence per event, with the name that was probably meant. */
export function describeUnknownEvents({ name, metadata }: Pick<HookPack, 'name' | 'metadata'>): string[] {
  const unknown = (metadata?.events ?? []).filter((event) => !KNOWN_EVENTS.includes(event));
  return unknown.map((event) => {
    const meant = nearMatch(event, KNOWN_EVENTS);
    const next = meant === undefined ? `Known events: ${KNOWN_EVENTS.join(', ')}.` : `Did you mean "${meant}"?`;
    return `The hook "${name}" listens to "${event}", which nothing fires. ${next}`;
  });
}

/**
 * The hooks of the catalog that are events of hook packs. `agent:bootstrap` is one too, but its handlers edit files.
 */
export const PACK_EVENTS = (Object.keys(HOOK_CATALOG) as HookName[]).filter(isPackEvent);

/** The events and their types; a type stands for all its events. */
export const KNOWN_EVENTS = ['agent:bootstrap', ...PACK_EVENTS]
  .flatMap((event) => [event.slice(0, event.indexOf(':')), event])
  .filter((event, index, all) => all.indexOf(event) === index)
  .sort();

export function isPackEvent(hook: HookName): hook is PackHookName {
  const row: HookRow = HOOK_CATALOG[hook];
  return row.audience === 'packs';
}

/** Events of the contract that Atrium does not fire yet. */
export const PENDING_EVENTS = ['message:transcribed'];
