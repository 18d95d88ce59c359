// Ids of calls that belong to no run. Where several nodes share one store, such an id names the member of the cluster that makes
// the call, so that the others can tell a call that goes on from one that was cut.

const MARK = '@';

/** The id with its owner; the same id where a gateway has its store alone. */
export function ownedId(id: string, owner: string | null | undefined): string {
  return owner ? `${id}${MARK}${owner}` : id;
}

/** Whether a call may still be going on. Without `isAlive` no other node makes calls. */
export function goesOn(id: string, isAlive: ((owner: string) => boolean) | undefined): boolean {
  const at = id.indexOf(MARK);
  return at >= 0 && isAlive?.(id.slice(at + 1)) === true;
}
