// Texts that a record names by number, so that a text that occurs several times is written once, and so that long texts
// stand together where a capture can share them between runs.

export class TextList {
  readonly #texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** The number of this text in the list. */
  add(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#texts.push(text) - 1;
      this.#numbers.set(text, number);
    }
    return number;
  }

  get texts(): readonly string[] {
    return this.#texts;
  }
}
