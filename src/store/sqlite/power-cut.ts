// What a power cut does to a store, for crash tests: the log loses what no sync has made safe, and the process is gone. It
// holds for a log that only grows, which it does until its contents are copied into the file, and after a start that
// takes thousands of messages.

import { statSync, truncateSync } from 'node:fs';

export class PowerCut {
  readonly #log: string;
  #safeBytes: number;

  /** What is in the log now counts as safe. */
  constructor(databaseFile: string) {
    this.#log = `${databaseFile}-wal`;
    this.#safeBytes = statSync(this.#log).size;
  }

  synced(): void {
    this.#safeBytes = statSync(this.#log).size;
  }

  /** The process must end right after this. */
  loseTheRest(): void {
    truncateSync(this.#log, this.#safeBytes);
  }
}
