// An output of which a case records some fields and leaves out others, though its input says nothing about that. The
// comparison asks only for what was recorded; what stands in `ignored` is about the reference's own make and never
// compared.

export class AskedFields {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #ignored: readonly string[];

  constructor(fields: Readonly<Record<string, unknown>>, ignored: readonly string[] = []) {
    this.#fields = fields;
    this.#ignored = ignored;
  }

  /** What was recorded, and what we have of it. A field that was recorded and is not here is missing in both senses. */
  beside(expected: object): { readonly expected: object; readonly actual: object } {
    const asked = Object.entries(expected).filter(([name]) => !this.#ignored.includes(name));
    return {
      expected: Object.fromEntries(asked),
      actual: Object.fromEntries(asked.map(([name]) => [name, this.#fields[name]])),
    };
  }

  /** For reading a failure. */
  toJSON(): Record<string, unknown> {
    return { ...this.#fields };
  }
}
