// What is worked out of a list item by item, for lists that grow at their end: each request of a conversation has the
// messages of the one before it, and a few more. The part that is known is recognised by its items themselves, without
// looking into them, so that a long conversation costs no more than what is new in it.
// The caller promises that no item changes, and that `add` depends on its arguments alone.

/** `add` takes what was made of the items before `from`, and adds the rest of the list to it. */
export function overGrownList<Item extends object, Made>(
  ofNothing: Made,
  add: (made: Made, items: readonly Item[], from: number) => Made,
): (items: readonly Item[]) => Made {
  const known = new WeakMap<Item, { readonly items: readonly Item[]; readonly made: Made }>();
  return (items) => {
    const [first] = items;
    if (first === undefined) return ofNothing;
    const before = known.get(first);
    const from = before && isBeginning(before.items, items) ? before.items.length : 0;
    if (before && from === items.length) return before.made;
    const made = add(before && from > 0 ? before.made : ofNothing, items, from);
    // The caller may go on with its own list.
    known.set(first, { items: [...items], made });
    return made;
  };
}

function isBeginning<Item>(beginning: readonly Item[], items: readonly Item[]): boolean {
  if (beginning.length > items.length) return false;
  for (let index = 0; index < beginning.length; index++) if (beginning[index] !== items[index]) return false;
  return true;
}
