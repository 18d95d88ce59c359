// Names that only one can have: a command, a method, a route. Who was loaded first has it, and the product's own are
// nobody else's. Pure, so that whoever looks and whoever explains see the same.

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

/** `objection` is for names that nobody may have; undefined where there is none. */
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
