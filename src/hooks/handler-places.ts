// Numbers handlers as they come, which is their order among those of the same priority. One that keeps its place has its
// number again when it comes back, so that loading a plugin again does not change what a hook answers.

export class HandlerPlaces {
  #next = 0;
  /** Of those that may come back, by hook and id. */
  readonly #kept = new Map<string, number>();

  placeOf(hook: string, id: string, isKept: boolean): number {
    if (!isKept) return this.#next++;
    const key = JSON.stringify([hook, id]);
    const place = this.#kept.get(key) ?? this.#next++;
    this.#kept.set(key, place);
    return place;
  }

  /** The same numbers, going their own way from here. */
  fork(): HandlerPlaces {
    const fork = new HandlerPlaces();
    fork.#next = this.#next;
    for (const [key, place] of this.#kept) fork.#kept.set(key, place);
    return fork;
  }
}
