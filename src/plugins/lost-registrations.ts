// Compares what a plugin registered with what the gateway received of it. The two differ only when something between them
// was broken, for example by a plugin that replaced a built-in function while it registered; without this, a gate
// could be missing although its plugin shows as loaded.

import { listed } from '../protocol/listed.ts';
import type { PluginRegistration } from './registration.ts';

/** The registrations that did not arrive, as `labelOf` names them. */
export function lostRegistrations(
  registered: readonly string[],
  received: readonly PluginRegistration[],
): readonly string[] {
  const arrived = received.map(labelOf);
  return registered.filter((label) => {
    const at = arrived.indexOf(label);
    if (at !== -1) arrived.splice(at, 1);
    return at === -1;
  });
}

export function lostReason(lost: readonly string[]): string {
  return `It registered ${listed(lost)}, and the gateway did not receive that. It is not used without it; ask its author why it disturbs its own registration.`;
}

/** Kind and name. It calls no function that a plugin might have replaced. */
export function labelOf(registration: PluginRegistration): string {
  const name = nameOf(registration);
  return name === undefined ? registration.kind : `${registration.kind} ${name}`;
}

function nameOf(registration: PluginRegistration): string | undefined {
  switch (registration.kind) {
    case 'hook':
      return registration.hook;
    case 'internal-hook':
    case 'command':
      return registration.name;
    case 'tool':
      return registration.names[0];
    case 'cli':
      return registration.commands[0];
    case 'method':
      return registration.method;
    case 'route':
      return registration.path;
    case 'session-extension':
      return registration.namespace;
    case 'unused':
      return registration.registrar;
    case 'memory-corpus':
      return undefined;
    default:
      return registration.id;
  }
}
