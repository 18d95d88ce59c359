// Spans of time as people write them: `90s`, `30m`, `1h30m`, `2d`, `1w`.

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Returns milliseconds, or undefined for text that is not a span of time. */
export function parseDuration(text: string): number | undefined {
  const compact = text.trim().toLowerCase().replace(/\s+/g, '');
  if (compact.length > 40 || !/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d|w))+$/.test(compact)) return undefined;
  let total = 0;
  for (const [, amount, unit] of compact.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d|w)/g)) {
    total += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  }
  return Number.isFinite(total) ? Math.round(total) : undefined;
}

/** Returns the shortest text that `parseDuration` reads as the same span, rounded to seconds. */
export function formatDuration(ms: number): string {
  let rest = Math.round(ms / 1_000);
  const parts: string[] = [];
  for (const [unit, seconds] of [
    ['d', 86_400],
    ['h', 3_600],
    ['m', 60],
    ['s', 1],
  ] as const) {
    const amount = Math.floor(rest / seconds);
    if (amount > 0) parts.push(`${amount}${unit}`);
    rest -= amount * seconds;
  }
  return parts.join('') || '0s';
}
