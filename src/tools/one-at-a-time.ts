// Tasks of the same key, one after the other in the order in which they were asked for. Tool calls of one step run at
// the same time, and two edits of one file must not see each other half done.

export class OneAtATime {
  /** The last task of each key, settled or not; a key without a waiting task is not kept. */
  readonly #last = new Map<string, Promise<unknown>>();

  run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const result = before.then(task, task);
    this.#last.set(key, result);
    const forget = () => {
      if (this.#last.get(key) === result) this.#last.delete(key);
    };
    result.then(forget, forget);
    return result;
  }
}
