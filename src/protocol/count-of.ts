// Formats numbers for people, in the same way on every machine, independent of its language.

/** Returns for example `1 file`, `3 files` or `12,345 characters`. */
export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}
