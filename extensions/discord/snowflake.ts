// Discord's ids carry their time, so that an id can be made of a moment: a message after that moment has a greater id.

const EPOCH = 1_420_070_400_000;

export function snowflakeAt(ms: number): string {
  return String(BigInt(Math.max(0, Math.floor(ms - EPOCH))) << 22n);
}

export function timeOfSnowflake(id: string): number {
  return isSnowflake(id) ? Number(BigInt(id) >> 22n) + EPOCH : 0;
}

export function isLater(id: string, than: string): boolean {
  return isSnowflake(id) && isSnowflake(than) && BigInt(id) > BigInt(than);
}

function isSnowflake(text: string): boolean {
  return /^\d{1,20}$/.test(text);
}
