// Takes updates in the order of each chat and says which of them are safe. Chats do not wait for each other, and in one
// chat nothing overtakes an update that could not be stored. It knows neither how updates come nor what is in them.

import type { Update } from 'grammy/types';
import { albumOf, conversationOf } from './inbound.ts';

export interface IntakeSettings {
  /** Resolves when the updates are stored. Several updates are the items of one album. */
  readonly take: (updates: readonly Update[]) => Promise<void>;
  readonly now: () => number;
  /** How long the rest of an album is waited for. */
  readonly albumWaitMs: number;
}

export interface BatchResult {
  /** The first update that is not safe; everything before it may be confirmed. */
  readonly offset: number;
  /** Why something could not be stored. */
  readonly error?: unknown;
  /** An album may not be complete: the same updates are asked for again after this time. */
  readonly waitMs?: number | undefined;
}

/** Telegram stops repeating an update after a while; then the chat goes on. */
const LONGEST_HOLD_MS = 10 * 60_000;

export class UpdateIntake {
  readonly #settings: IntakeSettings;
  /** Updates that are stored, and not confirmed because an earlier one is not. */
  readonly #safe = new Set<number>();
  readonly #albums = new Map<string, { readonly size: number; readonly grewAt: number }>();
  /** For updates that come one by one: the last of each chat, and the first that was not stored. */
  readonly #tails = new Map<number, Promise<unknown>>();
  readonly #held = new Map<number, { readonly updateId: number; readonly at: number }>();

  constructor(settings: IntakeSettings) {
    this.#settings = settings;
  }

  /** Takes everything that Telegram has handed out behind `offset`. */
  async takeBatch(offset: number, given: readonly Update[]): Promise<BatchResult> {
    const updates = [...new Map(given.map((update) => [update.update_id, update])).values()].sort(
      (a, b) => a.update_id - b.update_id,
    );
    const chats = groupByChat(updates);
    const results = await Promise.all([...chats.values()].map((chat) => this.#takeChat(chat)));
    const open = updates.find(({ update_id: id }) => !this.#safe.has(id));
    const next = open?.update_id ?? Math.max(offset, (updates.at(-1)?.update_id ?? offset - 1) + 1);
    for (const id of this.#safe) if (id < next) this.#safe.delete(id);
    const failed = results.find((result) => result !== undefined && 'error' in result);
    const waits = results.flatMap((result) => (result && 'waitMs' in result ? [result.waitMs] : []));
    return {
      offset: next,
      ...(failed && 'error' in failed && { error: failed.error }),
      ...(waits.length > 0 && { waitMs: Math.max(...waits) }),
    };
  }

  /** Takes one update that came by itself. Rejects when Telegram must send it again. */
  takeOne(update: Update): Promise<void> {
    const { now, take } = this.#settings;
    const chat = conversationOf(update);
    const taken = (this.#tails.get(chat) ?? Promise.resolve()).then(async () => {
      const held = this.#held.get(chat);
      if (held && update.update_id > held.updateId && now() - held.at < LONGEST_HOLD_MS) {
        throw new Error('an earlier update of this chat is not stored yet');
      }
      try {
        await take([update]);
        this.#held.delete(chat);
      } catch (error) {
        this.#held.set(chat, held ?? { updateId: update.update_id, at: now() });
        throw error;
      }
    });
    const tail = taken
      .catch(() => {})
      .then(() => {
        if (this.#tails.get(chat) === tail) this.#tails.delete(chat);
      });
    this.#tails.set(chat, tail);
    return taken;
  }

  /** Stops at the first update that cannot be stored, and at an album that may still grow. */
  async #takeChat(updates: readonly Update[]): Promise<{ error: unknown } | { waitMs: number } | undefined> {
    for (const unit of unitsOf(updates)) {
      if (unit.every(({ update_id: id }) => this.#safe.has(id))) continue;
      const waitMs = this.#albumWait(unit);
      if (waitMs > 0) return { waitMs };
      try {
        await this.#settings.take(unit);
      } catch (error) {
        return { error };
      }
      for (const { update_id: id } of unit) this.#safe.add(id);
    }
    return undefined;
  }

  #albumWait(unit: readonly Update[]): number {
    const { now, albumWaitMs } = this.#settings;
    const [first] = unit;
    const album = first && albumOf(first);
    if (album === undefined) return 0;
    const seen = this.#albums.get(album);
    const grewAt = seen?.size === unit.length ? seen.grewAt : now();
    this.#albums.set(album, { size: unit.length, grewAt });
    for (const [other, { grewAt: at }] of this.#albums) if (now() - at > LONGEST_HOLD_MS) this.#albums.delete(other);
    return grewAt + albumWaitMs - now();
  }
}

function groupByChat(updates: readonly Update[]): Map<number, Update[]> {
  const chats = new Map<number, Update[]>();
  for (const update of updates) {
    const chat = conversationOf(update);
    chats.set(chat, [...(chats.get(chat) ?? []), update]);
  }
  return chats;
}

/** The items of an album stand together, where its first item is. */
function unitsOf(updates: readonly Update[]): readonly (readonly Update[])[] {
  const units = new Map<string, Update[]>();
  for (const update of updates) {
    const name = albumOf(update) ?? `update ${update.update_id}`;
    units.set(name, [...(units.get(name) ?? []), update]);
  }
  return [...units.values()];
}
