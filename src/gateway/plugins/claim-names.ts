// Names that only one plugin can have: a command, a method, a route. The plugin that was loaded first has the name, and no
// plugin can take a name of the product. This is pure, so that the use and the explanation cannot differ.

import type { Registered } from '../../plugins/plugin-registry.ts';
import type { RegistrationKind } from '../../plugins/registration.ts';

export interface ClaimedNames<Kind extends RegistrationKind> {
  readonly byName: ReadonlyMap<string, Registered<Kind>>;
  readonly refused: readonly RefusedName[];
}

export interface RefusedName {
  readonly pluginId: string;
  readonly name: string;
  /** Completes "… is refused: ". */
  readonly because: string;
}

/** `objection` says why no plugin may have a name; undefined when a plugin may. */
export function claimNames<Kind extends RegistrationKind>(
  all: readonly Registered<Kind>[],
  nameOf: (registration: Registered<Kind>['registration']) => string,
  objection: (name: string) => string | undefined,
): ClaimedNames<Kind> {
  const byName = new Map<string, Registered<Kind>>();
  const refused: RefusedName[] = [];
  for (const registered of all) {
    const { pluginId, registration } = registered;
    const name = nameOf(registration);
    const holder = byName.get(name)?.pluginId;
    const because = objection(name) ?? (holder === undefined ? undefined : takenBy(holder, pluginId));
    if (because === undefined) byName.set(name, registered);
    else refused.push({ pluginId, name, because });
  }
  return { byName, refused };
}

function takenBy(holder: string, pluginId: string): string {
  return holder === pluginId ? 'it registered the same before' : `the plugin "${holder}" has it already`;
}
