// Says which member should have which duty, from what all members share and have now. Every node computes it from the same rows and
// comes to the same result, so that no node has to decide for the others. It knows no database and no time.
//
// Duties of one kind, such as the accounts of chat platforms, are spread over the members that share them; then the number of all duties
// counts. A duty stays where it is unless moving it makes the difference between two members smaller, so nothing moves to and fro.

export interface SharedDuties {
  /** The names of the duties that a member takes part in, by its id. Only members that may take duties are in it. */
  readonly shares: ReadonlyMap<string, ReadonlySet<string>>;
  /** The id of the member that has it, by the name of the duty. */
  readonly holders: ReadonlyMap<string, string>;
}

/** The member that should take each duty that no member has. Of equal members the first one is taken. */
export function planFreeDuties({ shares, holders }: SharedDuties): ReadonlyMap<string, string> {
  const counts = countDuties(holders);
  const free = [...new Set([...shares.values()].flatMap((names) => [...names]))].filter((name) => !holders.has(name));
  const planned = new Map<string, string>();
  for (const name of free.sort()) {
    const candidates = [...shares].filter(([, names]) => names.has(name)).map(([id]) => id);
    const [best] = candidates.sort((a, b) => counts.compare(a, b, name));
    if (best === undefined) continue;
    planned.set(name, best);
    counts.add(best, name);
  }
  return planned;
}

/** A duty that this member should leave to another one that has less to do. */
export function findSurplus({ shares, holders }: SharedDuties, memberId: string): string | undefined {
  const counts = countDuties(holders);
  const own = [...holders].filter(([, holder]) => holder === memberId).map(([name]) => name);
  return own.sort().find((name) =>
    [...shares].some(([other, names]) => {
      if (other === memberId || !names.has(name)) return false;
      const ofKind = counts.ofKind(memberId, name) - counts.ofKind(other, name);
      return ofKind >= 2 || (ofKind === 1 && counts.ofAll(memberId) - counts.ofAll(other) >= 2);
    }),
  );
}

function countDuties(holders: ReadonlyMap<string, string>) {
  const all = new Map<string, number>();
  const kinds = new Map<string, number>();
  const keyOf = (id: string, name: string) => `${kindOf(name)} ${id}`;
  const counts = {
    ofAll: (id: string) => all.get(id) ?? 0,
    ofKind: (id: string, name: string) => kinds.get(keyOf(id, name)) ?? 0,
    add: (id: string, name: string) => {
      all.set(id, counts.ofAll(id) + 1);
      kinds.set(keyOf(id, name), counts.ofKind(id, name) + 1);
    },
    compare: (a: string, b: string, name: string) =>
      counts.ofKind(a, name) - counts.ofKind(b, name) || counts.ofAll(a) - counts.ofAll(b),
  };
  for (const [name, id] of holders) counts.add(id, name);
  return counts;
}

/** What stands before the first colon: `channel:telegram:main` is of the kind `channel`. */
function kindOf(name: string): string {
  const at = name.indexOf(':');
  return at < 0 ? name : name.slice(0, at);
}
