// A handler for events of hook packs, as a plugin hands it over. It edits an event of its own; what it left there is its
// answer, so that it makes no difference on which side of the worker it ran.

import type { InternalHookEvent } from '../../protocol/bootstrap-event.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { InternalHandlerAnswer, InternalHandlerRegistration } from '../registration.ts';

export function registeredInternalHook(registered: {
  readonly events: readonly string[];
  readonly name: string;
  readonly description?: string | undefined;
  readonly handler: (event: InternalHookEvent) => unknown;
  readonly pluginConfig: JsonObject;
}): InternalHandlerRegistration {
  const { events, name, description, handler, pluginConfig } = registered;
  return {
    kind: 'internal-hook',
    name,
    events,
    description,
    handler: async (event): Promise<InternalHandlerAnswer> => {
      const own = ownEvent(event, pluginConfig);
      await handler(own);
      const messages = own.messages.slice(event.messages.length).filter((line) => typeof line === 'string');
      const { bootstrapFiles } = own.context;
      const isBootstrap = event.type === 'agent' && event.action === 'bootstrap';
      return isBootstrap && Array.isArray(bootstrapFiles) ? { messages, bootstrapFiles } : { messages };
    },
  };
}

function ownEvent(event: InternalHookEvent, pluginConfig: JsonObject): InternalHookEvent {
  const { bootstrapFiles } = event.context;
  const context = { ...event.context, pluginConfig: structuredClone(pluginConfig) };
  return {
    ...event,
    messages: [...event.messages],
    context: Array.isArray(bootstrapFiles) ? { ...context, bootstrapFiles: structuredClone(bootstrapFiles) } : context,
  };
}
