// Shares a total among entries when it is not enough for all. It promises: the sum stays within the total; no entry
// gets more than it can use; a larger total never gives an entry less; the entries that are dropped have the lowest
// priority; and a small entry never loses its place to a large one before it. It knows only sizes and sees no text.

export interface AllotEntry {
  readonly kind: 'file' | 'missing';
  /** Characters of the entry. */
  readonly length: number;
  /** The most that it may use, however much is left. */
  readonly cap: number;
  /** Characters that the entry must have: kept sections and their markers. It is 0 for most entries. */
  readonly required: number;
}

export interface AllotRequest {
  readonly entries: readonly AllotEntry[];
  readonly total: number;
  /** The indices of the entries; the one that is dropped last is first. Without it, the order of the entries counts. */
  readonly priority?: readonly number[] | undefined;
}

export type Allotment =
  | {
      readonly fits: true;
      /** The characters for each entry. 0 means that it was dropped. */
      readonly allotted: readonly number[];
      /** What was available for each entry before entries with too little room were dropped. */
      readonly offered: readonly number[];
    }
  | { readonly fits: false; readonly shortfall: Shortfall };

/**
 * The required parts do not fit: within the limit of one entry, or within the total, where `index` is the first entry
 * that does not fit.
 */
export interface Shortfall {
  readonly scope: 'entry' | 'total';
  readonly index: number;
  readonly needed: number;
  readonly available: number;
  readonly overBy: number;
}

/** A file of which fewer characters than this are left is dropped, because so short a rest is not useful. */
export const LEAST_USEFUL_CHARS = 64;
/** Up to this many characters of each entry are protected from the entries before it. */
const PROTECTED_CHARS = 1000;

export function allotBudget({ entries, total, priority }: AllotRequest): Allotment {
  const most = entries.map((entry) => Math.min(entry.length, entry.cap));
  const order = priority ?? entries.map((_, i) => i);
  const shortfall = findShortfall(entries, order, total);
  if (shortfall) return { fits: false, shortfall };
  if (sum(most) <= total) return { fits: true, allotted: most, offered: most };

  const wants = order.map((i) => want(entries[i], most[i]));
  const free = total - sum(wants.map((entry) => entry.required));
  const reserves = reserve(wants, Math.floor(free / 2));

  // Each entry takes what the full wishes before it and the reserves after it leave. At most half of the total is
  // reserved, so one more character of total moves the reserves by at most one, and no share can fall.
  const offered = new Array<number>(entries.length).fill(0);
  const allotted = new Array<number>(entries.length).fill(0);
  let wishedBefore = 0;
  let reservedAfter = sum(reserves);
  wants.forEach(({ extra, required, least }, rank) => {
    const own = reserves[rank] ?? 0;
    reservedAfter -= own;
    const share = required + Math.min(extra, Math.max(own, free - wishedBefore - reservedAfter));
    wishedBefore += extra;
    const index = order[rank] ?? rank;
    offered[index] = share;
    allotted[index] = share < least ? 0 : share;
  });
  return { fits: true, allotted, offered };
}

/**
 * An entry as the sharing sees it: what it gets in every case, what it would take beyond that, and the size below which
 * it is dropped.
 */
interface Want {
  readonly required: number;
  readonly extra: number;
  /** The first characters of an entry, which are reserved for one entry after the other. */
  readonly cup: number;
  /** The part that is reserved for all alike once every cup is full, the cup included. */
  readonly protectedExtra: number;
  readonly least: number;
}

function want(entry: AllotEntry | undefined, most = 0): Want {
  const required = entry?.required ?? 0;
  const useful = Math.min(most, LEAST_USEFUL_CHARS);
  return {
    required,
    extra: Math.max(0, most - required),
    cup: Math.max(0, useful - required),
    protectedExtra: Math.max(0, Math.min(most, PROTECTED_CHARS) - required),
    least: required > 0 || entry?.kind === 'missing' ? 0 : useful,
  };
}

/**
 * A cup that cannot be filled keeps what it got, although it is unused: with a larger total it would have to be taken
 * back from the others.
 */
function reserve(wants: readonly Want[], pool: number): readonly number[] {
  let left = pool;
  const cups = wants.map(({ cup }) => {
    const filled = Math.min(cup, left);
    left -= filled;
    return filled;
  });
  if (left === 0) return cups;

  const atLevel = (level: number) =>
    wants.map(({ cup, required, protectedExtra }) => Math.max(cup, Math.min(protectedExtra, level - required)));
  let level = LEAST_USEFUL_CHARS;
  for (let above = PROTECTED_CHARS + 1; above - level > 1; ) {
    const middle = Math.floor((level + above) / 2);
    if (sum(atLevel(middle)) <= pool) level = middle;
    else above = middle;
  }
  const reserves = atLevel(level);
  const next = atLevel(level + 1);
  let rest = pool - sum(reserves);
  return reserves.map((amount, i) => {
    const rises = rest > 0 && (next[i] ?? 0) > amount;
    if (rises) rest--;
    return rises ? amount + 1 : amount;
  });
}

function findShortfall(entries: readonly AllotEntry[], order: readonly number[], total: number): Shortfall | undefined {
  const shortfall = (scope: Shortfall['scope'], index: number, needed: number, available: number): Shortfall => {
    return { scope, index, needed, available, overBy: needed - available };
  };
  const tooLarge = entries.findIndex((entry) => entry.required > entry.cap);
  const entry = entries[tooLarge];
  if (entry) return shortfall('entry', tooLarge, entry.required, entry.cap);
  const needed = sum(entries.map(({ required }) => required));
  if (needed <= total) return undefined;
  let running = 0;
  const firstTooMany = order.find((i) => {
    running += entries[i]?.required ?? 0;
    return running > total;
  });
  return shortfall('total', firstTooMany ?? 0, needed, total);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
