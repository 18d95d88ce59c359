// Stands between the bytes of an answer and the provider's parser, which throws a whole answer away over one field of a
// wrong type. Events whose meaning is clear are written anew as the parser expects them; all others pass byte for byte.
// It knows lines and JSON; what an event means is the dialect's.

export interface EventDialect {
  /** Mends the event in place where it must be. Returns true when it has changed something. */
  mend(event: unknown): boolean;
  /** True when the event says why the answer is over. */
  saysWhy(event: unknown): boolean;
  /** True for the data of the event behind which nothing comes. */
  isLast(data: string): boolean;
  /** Events that the parser needs: before the last one when no reason was given, and when only the last one is missing. */
  readonly end: { readonly before: string; readonly without: string };
}

export class EventMender {
  readonly #dialect: EventDialect;
  /** The beginning of a line whose end has not come yet. */
  #begun: Buffer[] = [];
  #hasReason = false;
  #isOver = false;

  constructor(dialect: EventDialect) {
    this.#dialect = dialect;
  }

  /** The answer says why it is over; only its end is missing. */
  get hasReason(): boolean {
    return this.#hasReason;
  }

  /** The last event has come. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Returns what the parser is given for these bytes. */
  take(bytes: Buffer): Uint8Array {
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      this.#begun.push(bytes);
      return NO_BYTES;
    }
    const whole = Buffer.concat([...this.#begun, bytes.subarray(0, end)]);
    this.#begun = end === bytes.length ? [] : [bytes.subarray(end)];
    const text = whole.toString('utf8');
    const mended = text.replace(DATA_LINE, (line, data: string) => this.#mendLine(line, data));
    return mended === text ? whole : Buffer.from(mended);
  }

  /** Returns what the parser is still given when no more bytes come. */
  rest(): Uint8Array {
    const begun = this.#begun.splice(0);
    // The empty line that ends the last event may not have come yet.
    if (this.#isOver) return Buffer.from('\n\n');
    if (!this.#hasReason) return Buffer.concat(begun);
    return Buffer.from(this.#dialect.end.without);
  }

  #mendLine(line: string, data: string): string {
    if (this.#dialect.isLast(data)) {
      this.#isOver = true;
      return this.#hasReason ? line : `${this.#dialect.end.before}${line}`;
    }
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      // The parser says what is wrong with it.
      return line;
    }
    const isMended = this.#dialect.mend(event);
    this.#hasReason ||= this.#dialect.saysWhy(event);
    return isMended ? `data: ${JSON.stringify(event)}` : line;
  }
}

const NEWLINE = 0x0a;
const NO_BYTES = new Uint8Array();
const DATA_LINE = /^data:(.*)$/gm;

/** An object that may be changed. */
export type Loose = Record<string, unknown>;

export function isLoose(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Removes the fields that are not as they must be. Returns true when it has removed one. */
export function dropUnless(value: Loose, isRight: (field: unknown) => boolean, fields: readonly string[]): boolean {
  const wrong = fields.filter((field) => value[field] != null && !isRight(value[field]));
  for (const field of wrong) delete value[field];
  return wrong.length > 0;
}

/** Counts of tokens are read leniently: a text of digits is a number, and what is no count is left out. */
export function mendUsage(holder: Loose): boolean {
  const { usage } = holder;
  if (usage == null) return false;
  if (isLoose(usage)) return mendCounts(usage);
  delete holder.usage;
  return true;
}

function mendCounts(usage: Loose): boolean {
  let isMended = false;
  for (const [name, value] of Object.entries(usage)) {
    if (name.endsWith('_details')) {
      isMended = (isLoose(value) ? mendCounts(value) : dropUnless(usage, isLoose, [name])) || isMended;
    } else if (name.endsWith('_tokens') && typeof value !== 'number' && value !== null) {
      const isCount = typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value);
      if (isCount) usage[name] = Number(value);
      else delete usage[name];
      isMended = true;
    }
  }
  return isMended;
}
