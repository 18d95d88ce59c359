// Numbers as people read them, the same on every machine, whatever its language.

/** `1 file`, `3 files`, `12,345 characters`. */
export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}
