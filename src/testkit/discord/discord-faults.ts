// What goes wrong on the fake Discord, one fault for one request, in the order in which a test asked for them.

export type DiscordFault =
  /** The request is refused with this status, and has no effect. */
  | { readonly kind: 'status'; readonly status: number }
  /** The platform asks to wait. A global limit is for every route. */
  | { readonly kind: 'limit'; readonly retryAfterMs: number; readonly isGlobal?: boolean }
  /** The request takes effect, and the connection breaks before the answer. */
  | { readonly kind: 'no-answer' }
  /** The connection breaks before the request takes effect. */
  | { readonly kind: 'cut' }
  /** The request takes effect, and the answer comes late. */
  | { readonly kind: 'slow'; readonly ms: number };

export interface FaultRequest {
  /** Such as `POST /channels/1/messages`; a fault without it hits the next request of any kind. */
  readonly on?: RegExp | undefined;
  /** How many requests it hits. The default is 1. */
  readonly times?: number | undefined;
}

export class DiscordFaults {
  readonly #waiting: { readonly fault: DiscordFault; readonly on: RegExp | undefined; left: number }[] = [];

  add(fault: DiscordFault, { on, times = 1 }: FaultRequest = {}): void {
    this.#waiting.push({ fault, on, left: times });
  }

  take(request: string): DiscordFault | undefined {
    const found = this.#waiting.find(({ on, left }) => left > 0 && (!on || on.test(request)));
    if (found) found.left -= 1;
    return found?.fault;
  }

  clear(): void {
    this.#waiting.length = 0;
  }
}
