// Long texts stand in the vectors as facts about them: length, bytes, hash, beginning and end. An adapter hands over
// the whole text, and the comparison asks only for the facts that the case recorded.

import { createHash } from 'node:crypto';

const EDGE_LENGTH = 100;

export class TextFacts {
  readonly #text: string;
  readonly #others: Readonly<Record<string, unknown>>;

  /** `others` are the plain fields that stand beside the facts, such as the path of the text. */
  constructor(text: string, others: Readonly<Record<string, unknown>> = {}) {
    this.#text = text;
    this.#others = others;
  }

  /** The facts named `names` and all the other fields, as a plain object. */
  facts(names: readonly string[]): Record<string, unknown> {
    const known: Record<string, () => unknown> = {
      text: () => this.#text,
      length: () => this.#text.length,
      utf8Bytes: () => Buffer.byteLength(this.#text, 'utf8'),
      sha256: () => createHash('sha256').update(this.#text, 'utf8').digest('hex'),
      head: () => this.#text.slice(0, EDGE_LENGTH),
      tail: () => this.#text.slice(-EDGE_LENGTH),
    };
    const asked = names.filter((name) => Object.hasOwn(known, name)).map((name) => [name, known[name]?.()]);
    return { ...Object.fromEntries(asked), ...this.#others };
  }

  /** For reading a failure. */
  toJSON(): Record<string, unknown> {
    return this.facts(['text', 'length']);
  }
}
