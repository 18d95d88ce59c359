// What goes wrong on the Telegram of the tests, on demand: the next calls of a method meet the faults that were asked
// for, in their order, and then everything works again.

export type TelegramFault =
  /** Telegram refuses, in its own form. */
  | { readonly status: number; readonly description?: string; readonly retryAfter?: number }
  /** Something between refuses with a page that is no JSON. */
  | 'bad-gateway'
  /** The connection is cut before the request is taken. */
  | 'cut'
  /** The request is taken, and the connection is cut before the answer. */
  | 'answer-lost'
  /** The request is not taken, and no answer comes. */
  | 'hang'
  /** The request is taken, and the answer comes late. */
  | { readonly slowMs: number };

export class TelegramFaults {
  readonly #planned = new Map<string, TelegramFault[]>();

  /** `method` is one of the Bot API, `file` for a download, or `*` for every method. */
  plan(method: string, fault: TelegramFault, times = 1): void {
    const faults = this.#planned.get(method) ?? [];
    for (let time = 0; time < times; time++) faults.push(fault);
    this.#planned.set(method, faults);
  }

  take(method: string): TelegramFault | undefined {
    return this.#planned.get(method)?.shift() ?? this.#planned.get('*')?.shift();
  }

  clear(): void {
    this.#planned.clear();
  }
}
