// Numbers handlers in the order of their registration, which is their order within the same priority. A handler that
// keeps its place gets its old number when it is registered again, so that reloading a plugin does not change the
// result of a hook.

export class HandlerPlaces {
  #next = 0;
  /** The numbers of handlers that may come back, by hook and id. */
  readonly #kept = new Map<string, number>();

  placeOf(hook: string, id: string, isKept: boolean): number {
    if (!isKept) return this.#next++;
    const key = JSON.stringify([hook, id]);
    const place = this.#kept.get(key) ?? this.#next++;
    this.#kept.set(key, place);
    return place;
  }

  /** A copy with the same numbers, which changes independently from here on. */
  fork(): HandlerPlaces {
    const fork = new HandlerPlaces();
    fork.#next = this.#next;
    for (const [key, place] of this.#kept) fork.#kept.set(key, place);
    return fork;
  }
}
