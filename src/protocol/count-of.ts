// Formats numbers for people, in the same way on every machine, independent of its language.

/** Returns for example `1 file`, `3 files` or `12,345 characters`. */
export function countOf(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Loading the data of all languages would take longer than all the rest of a short command. */
function grouped(count: number): string {
  return Number.isSafeInteger(count) ? String(count).replace(THOUSANDS, ',') : count.toLocaleString('en-US');
}

const THOUSANDS = /\B(?=(\d{3})+$)/g;
