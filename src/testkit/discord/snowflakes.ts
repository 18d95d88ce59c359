// Ids as Discord makes them: the time in milliseconds since 2015 and a number, so that a later id is always greater.

const EPOCH = 1_420_070_400_000n;

export class Snowflakes {
  #last = 0n;

  next(at: number = Date.now()): string {
    const id = (BigInt(at) - EPOCH) << 22n;
    this.#last = id > this.#last ? id : this.#last + 1n;
    return String(this.#last);
  }
}

export function timeOfSnowflake(id: string): number {
  return Number((BigInt(id) >> 22n) + EPOCH);
}

export function isSnowflake(text: string): boolean {
  return /^\d{15,20}$/.test(text);
}
