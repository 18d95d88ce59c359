// Buttons as Discord has them: rows of at most five, each with an id of at most 100 characters that comes back when it
// is pressed. A value that fits is the id itself, so that the button works for ever. A longer one is kept under its hash,
// the latest ones also across restarts.

import { createHash } from 'node:crypto';
import { BoundedMap } from '../../src/channels/bounded-map.ts';
import type { ChannelMemory } from '../../src/channels/channel-extension.ts';
import type { Button } from '../../src/protocol/button.ts';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';
import { KeptValue } from './kept-value.ts';

export const MOST_BUTTONS = 25;
const PER_ROW = 5;
const LONGEST_ID = 100;
const LONGEST_LABEL = 80;
const MOST_KEPT = 100;

export class Buttons {
  readonly #kept: KeptValue<JsonObject>;
  readonly #values = new BoundedMap<string>(MOST_KEPT);

  constructor(memory: ChannelMemory, accountId: string) {
    this.#kept = new KeptValue(memory, accountId, 'buttons');
  }

  async load(): Promise<void> {
    const kept = await this.#kept.read();
    if (!isJsonObject(kept)) return;
    for (const [id, value] of Object.entries(kept)) if (typeof value === 'string') this.#values.set(id, value);
  }

  /** The rows of a message. */
  rowsOf(buttons: readonly Button[]): readonly object[] {
    const shown = buttons.slice(0, MOST_BUTTONS).map(({ label, value }, index) => ({
      type: 2,
      style: 2,
      label: label.slice(0, LONGEST_LABEL),
      custom_id: this.#idOf(value, index),
    }));
    return Array.from({ length: Math.ceil(shown.length / PER_ROW) }, (_, row) => ({
      type: 1,
      components: shown.slice(row * PER_ROW, (row + 1) * PER_ROW),
    }));
  }

  /** What the person would have typed; undefined for a button that is forgotten, or is not ours. */
  valueOf(customId: string): string | undefined {
    const [, kind, rest = ''] = /^(v|h)\d*:(.*)$/s.exec(customId) ?? [];
    return kind === 'v' ? rest : kind === 'h' ? this.#values.get(rest) : undefined;
  }

  settled(): Promise<void> {
    return this.#kept.settled();
  }

  /** The number keeps the ids of one message apart, which Discord demands. */
  #idOf(value: string, index: number): string {
    const id = `v${index}:${value}`;
    if (id.length <= LONGEST_ID) return id;
    const hash = createHash('sha256').update(value).digest('base64url').slice(0, 32);
    this.#values.set(hash, value);
    this.#kept.write(() => Object.fromEntries(this.#values.entries()));
    return `h${index}:${hash}`;
  }
}
