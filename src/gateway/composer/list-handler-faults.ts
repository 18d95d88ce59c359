// What is wrong with the handlers of one agent, one sentence each: files that cannot be loaded, names that are taken, events
// that nothing fires. A pack that was switched off, or whose needs this machine does not meet, is not at fault.

import { describeUnknownEvents } from '../../hooks/packs/unknown-events.ts';
import type { BootstrapRegistry } from './bootstrap-registry.ts';

export function listHandlerFaults({
  problems,
  packs,
}: Pick<BootstrapRegistry, 'problems' | 'packs'>): readonly string[] {
  const ofPacks = packs.flatMap((fate) => {
    if (fate.kind === 'failed') return [fate.error.message];
    return fate.kind === 'loaded' ? describeUnknownEvents(fate.pack) : [];
  });
  return [...problems, ...ofPacks];
}
