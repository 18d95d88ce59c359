// Keeps two bots from answering each other for ever: it counts the messages of each bot in each conversation, and when
// there are too many within the window, it leaves that bot alone for a while.

import { BoundedMap } from './bounded-map.ts';

export interface BotLoopSettings {
  readonly most: number;
  readonly windowMs: number;
  readonly cooldownMs: number;
}

interface Count {
  readonly times: readonly number[];
  /** Until then the bot is not heard. */
  readonly quietUntil: number;
}

const MOST = 1_000;

export class BotLoops {
  readonly #now: () => number;
  /** Told once for each pause. */
  readonly #paused: (conversation: string) => void;
  readonly #counts = new BoundedMap<Count>(MOST);

  constructor(now: () => number, paused: (conversation: string) => void) {
    this.#now = now;
    this.#paused = paused;
  }

  /** Counts a message of a bot, and says whether it is heard. */
  isHeard(bot: string, conversation: string, { most, windowMs, cooldownMs }: BotLoopSettings): boolean {
    const now = this.#now();
    const key = `${conversation}/${bot}`;
    const { times, quietUntil } = this.#counts.get(key) ?? { times: [], quietUntil: 0 };
    if (quietUntil > now) return false;
    const recent = [...times.filter((time) => time > now - windowMs), now];
    const isTooMuch = recent.length > most;
    this.#counts.set(key, isTooMuch ? { times: [], quietUntil: now + cooldownMs } : { times: recent, quietUntil: 0 });
    if (isTooMuch) this.#paused(conversation);
    return !isTooMuch;
  }
}
