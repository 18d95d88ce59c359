// Remembers, for each shared place, the latest messages of people who may talk that did not speak to the agent. The next
// message that does brings them along. They are in memory only: what was not said to the agent is not stored, and it is
// lost when the gateway stops. The number of places and of lines, and their length, are bounded.

import { dedupeKeyOf, type Inbound, type Overheard, type Surface, surfaceId } from '../../protocol/inbound.ts';
import type { InboundChange } from '../../protocol/inbound-change.ts';
import { clip } from '../../protocol/one-line.ts';

/** How many messages are kept for a place of this account; 0 means none. */
export type HistoryLimit = (surface: Pick<Surface, 'channel' | 'accountId'>) => number;

const MOST_PLACES = 200;
const LONGEST_LINE = 2_000;
const MOST_CHARS_A_PLACE = 20_000;

interface Line extends Overheard {
  readonly messageId: string | undefined;
  /** The same event is one line. */
  readonly key: string | undefined;
}

export class OverheardTalk {
  readonly #limitOf: HistoryLimit;
  /** The place that was heard last is at the end. */
  readonly #places = new Map<string, readonly Line[]>();

  constructor(limitOf: HistoryLimit) {
    this.#limitOf = limitOf;
  }

  hear(inbound: Inbound): void {
    const { surface, sender, at, messageId, attachments = [] } = inbound;
    const limit = this.#limitOf(surface);
    const files = attachments.map(({ name }) => `[File: ${name}]`);
    const text = clip([inbound.text, ...files].filter((part) => part.trim() !== '').join('\n'), LONGEST_LINE);
    const key = dedupeKeyOf(inbound);
    const id = surfaceId(surface);
    const before = this.#places.get(id) ?? [];
    const isKnown = key !== undefined && before.some((line) => line.key === key);
    if (limit <= 0 || text === '' || isKnown) return;
    this.#keep(id, [...before, { sender, text, at, messageId, key }].slice(-limit));
  }

  /** What was heard at a place, oldest first. */
  at(surface: Surface): readonly Overheard[] {
    return (this.#places.get(surfaceId(surface)) ?? []).map(({ sender, text, at }) => ({ sender, text, at }));
  }

  /** Called when the agent has been told the first so many lines of a place. */
  forget(surface: Surface, count: number): void {
    const id = surfaceId(surface);
    const left = (this.#places.get(id) ?? []).slice(count);
    if (left.length === 0) this.#places.delete(id);
    else this.#places.set(id, left);
  }

  /** A person may edit or delete their own message before the agent has read it. */
  change(change: InboundChange): void {
    const id = surfaceId(change.surface);
    const lines = this.#places.get(id);
    if (!lines || change.kind === 'reaction') return;
    const isMeant = (line: Line) =>
      line.messageId === change.messageId && (change.kind === 'delete' || line.sender.id === change.sender.id);
    if (change.kind === 'delete')
      return void this.#places.set(
        id,
        lines.filter((line) => !isMeant(line)),
      );
    const text = clip(change.text, LONGEST_LINE);
    this.#keep(
      id,
      lines.map((line) => (isMeant(line) ? { ...line, text } : line)),
    );
  }

  #keep(id: string, lines: readonly Line[]): void {
    let room = MOST_CHARS_A_PLACE;
    const first = lines.findLastIndex(({ text }) => {
      room -= text.length;
      return room < 0;
    });
    this.#places.delete(id);
    this.#places.set(id, lines.slice(first + 1));
    if (this.#places.size > MOST_PLACES) this.#places.delete(this.#places.keys().next().value ?? '');
  }
}
