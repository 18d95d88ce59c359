// Handlers that plugins registered for the events of hook packs, in the form that packs have: they stand in the same
// list, behind the packs, and on agent:bootstrap they work on a draft like every handler. The plugin may run in a worker,
// so what it did to its event comes back as an answer.

import { DEFAULT_HOOK_PRIORITY } from '../../hooks/packs/load-internal-hooks.ts';
import type { InternalHookRegistration } from '../../hooks/packs/pack-registration.ts';
import type { Registered } from '../../plugins/plugin-registry.ts';
import type { InternalHandlerAnswer } from '../../plugins/registration.ts';
import { type InternalHookEvent, isAgentBootstrapEvent } from '../../protocol/bootstrap-event.ts';
import type { WorkspaceBootstrapFile } from '../../protocol/bootstrap-file.ts';

export type PluginInternalHook = Registered<'internal-hook'>;

export function pluginInternalHooks(registered: readonly PluginInternalHook[]): readonly InternalHookRegistration[] {
  const names = new Set<string>();
  return registered.map(({ pluginId, registration, isRequired }) => ({
    owner: pluginId,
    // A plugin may register under one name twice, and both are called.
    name: uniqueName(names, pluginId, registration.name),
    source: 'openclaw-plugin',
    events: registration.events,
    description: registration.description ?? '',
    handler: async (event) => adopt(event, await registration.handler(event)),
    isHeldUp: registration.isHeldUp,
    // Nothing is composed without the work of a plugin that is required.
    bootstrap: { priority: DEFAULT_HOOK_PRIORITY, onError: isRequired ? 'abort' : undefined },
  }));
}

function adopt(event: InternalHookEvent, answer: InternalHandlerAnswer | undefined): void {
  // The list is replaced and not extended: a plugin in the same process has pushed to this list already.
  if (answer?.messages) event.messages = [...answer.messages];
  if (answer?.bootstrapFiles && isAgentBootstrapEvent(event)) {
    event.context.bootstrapFiles = answer.bootstrapFiles as unknown as WorkspaceBootstrapFile[];
  }
}

function uniqueName(taken: Set<string>, pluginId: string, name: string): string {
  let unique = name;
  for (let count = 2; taken.has(JSON.stringify([pluginId, unique])); count++) unique = `${name}-${count}`;
  taken.add(JSON.stringify([pluginId, unique]));
  return unique;
}
