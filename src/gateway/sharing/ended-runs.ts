// Looks from time to time at the rows of runs that somebody waits for. A run may go on at another node, and the message
// that tells its end may be lost; the row cannot be. While nobody waits there is no timer and no question.
// Errors: none. When the store cannot be read, the next look is another attempt.

import type { Store } from '../../store/store.ts';
import type { RunRow } from '../../store/tables.ts';

export interface EndedRunsParts {
  readonly store: Pick<Store, 'select'>;
  readonly lookEveryMs?: number | undefined;
}

export interface AwaitedRun {
  /** Resolves when a look has found the run as it is awaited; never after `leave`. */
  readonly seen: Promise<void>;
  leave(): void;
}

interface Awaiting {
  readonly runId: string;
  readonly isEnough: (run: RunRow) => boolean | Promise<boolean>;
  readonly resolve: () => void;
}

const LOOK_EVERY_MS = 2_000;

export class EndedRuns {
  readonly #parts: EndedRunsParts;
  readonly #awaiting = new Set<Awaiting>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: EndedRunsParts) {
    this.#parts = parts;
  }

  expect(runId: string, isEnough: Awaiting['isEnough']): AwaitedRun {
    let leave = () => {};
    const seen = new Promise<void>((resolve) => {
      const awaiting = { runId, isEnough, resolve };
      this.#awaiting.add(awaiting);
      leave = () => {
        this.#awaiting.delete(awaiting);
        if (this.#awaiting.size > 0) return;
        clearTimeout(this.#timer);
        this.#timer = undefined;
      };
    });
    this.#plan();
    return { seen, leave };
  }

  #plan(): void {
    if (this.#awaiting.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#look()
        .catch(() => {})
        .then(() => this.#plan());
    }, this.#parts.lookEveryMs ?? LOOK_EVERY_MS).unref();
  }

  async #look(): Promise<void> {
    const awaiting = [...this.#awaiting];
    const runIds = [...new Set(awaiting.map(({ runId }) => runId))];
    const rows = await this.#parts.store.select('runs', { where: { runId: { in: runIds } } });
    const byId = new Map(rows.map((row) => [row.runId, row]));
    for (const { runId, isEnough, resolve } of awaiting) {
      const run = byId.get(runId);
      if (run && (await isEnough(run))) resolve();
    }
  }
}
