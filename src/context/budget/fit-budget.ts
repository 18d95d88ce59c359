// Makes all bootstrap files fit: each within its own limit, all of them within the total, and, where one is set, within a
// number of tokens. What stays, what goes and why is in the result, piece by piece. It is pure; it fails only when sections that
// must be kept do not fit, and then says by how much.

import { KeptSectionsOverBudgetError, KeptSectionsOverTokenBudgetError } from '../errors.ts';
import { type Allotment, allotBudget, LEAST_USEFUL_CHARS } from './allot-budget.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { pairBoundaryBefore } from './pair-boundary.ts';
import { keepWhole, keptLength, trimFile } from './trim-file.ts';
import { renderPieces, type TextRange, type TrimmedText, type TrimPiece } from './trim-piece.ts';

interface BudgetEntryBase {
  readonly name: string;
  readonly path: string;
  /**
   * The place in the declared order. An entry with a lower number is cut later; entries without a number are cut first.
   */
  readonly priority?: number | undefined;
}

export interface PresentEntry extends BudgetEntryBase {
  readonly missing?: false | undefined;
  readonly text: string;
  /** Sections that must survive in full, as `findKeptSections` gives them. */
  readonly keep?: readonly TextRange[] | undefined;
}

export interface MissingEntry extends BudgetEntryBase {
  readonly missing: true;
  /** Replaces the text. By default it says where the file was expected. */
  readonly marker?: string | undefined;
}

export type BudgetEntry = PresentEntry | MissingEntry;

export interface BudgetLimits {
  readonly maxChars: number;
  readonly totalMaxChars: number;
  readonly maxTokens?: number | undefined;
}

export interface BudgetOptions {
  /** False trims AGENTS.md like any other file. */
  readonly policyDigest?: boolean | undefined;
  /** Asked only when there is a token limit. A caller that remembers its answers hands in its own. */
  readonly estimateTokens?: ((text: string) => number) | undefined;
}

export type CutCause = 'per-file-limit' | 'total-limit' | 'token-limit';

export interface FittedEntry {
  readonly name: string;
  readonly path: string;
  readonly status: 'present' | 'missing' | 'empty';
  readonly pieces: readonly TrimPiece[];
  /** Ranges of the right-trimmed text that are not in the prompt; the whole of it for a dropped file. */
  readonly cuts: readonly TextRange[];
  readonly text: string;
  /** Length of the right-trimmed text; 0 for a missing file. */
  readonly rawChars: number;
  readonly injectedChars: number;
  /** True when nothing of the text is left, although there was some. */
  readonly dropped: boolean;
  /** True when a part or all of the text is gone. */
  readonly truncated: boolean;
  /** The list is empty unless the entry is truncated. */
  readonly causes: readonly CutCause[];
}

export interface FittedBudget {
  /** One for each entry, in the same order. */
  readonly entries: readonly FittedEntry[];
  readonly warnings: readonly string[];
}

export function fitBudget(
  entries: readonly BudgetEntry[],
  limits: BudgetLimits,
  options: BudgetOptions = {},
): FittedBudget {
  const maxChars = atLeastOne(limits.maxChars);
  const total = atLeastOne(limits.totalMaxChars);
  const sources = entries.map((entry) => openSource(entry, maxChars, options));
  const priority = priorityOrder(entries);
  const share = (available: number) => shareAmong(sources, available, priority);

  const byChars = share(total);
  const { maxTokens } = limits;
  const shares =
    maxTokens === undefined ? byChars : shareWithinTokens(sources, total, atLeastOne(maxTokens), share, options);
  const fitted = sources.map((source, i) => {
    return fitEntry(source, maxChars, shares.allotted[i] ?? 0, byChars.allotted[i] ?? 0, options);
  });
  const firstDropped = priority.find((i) => fitted[i]?.dropped && fitted[i].status === 'present');
  const warnings = fitted.flatMap((entry, i) => {
    if (entry.dropped) return i === firstDropped ? droppedWarning(shares.offered[i] ?? 0) : [];
    if (entry.status !== 'present' || !entry.truncated) return [];
    return [trimWarning(entry, limitOf(sources[i], shares.allotted[i] ?? 0, maxChars))];
  });
  return { entries: fitted, warnings };
}

type Shares = Extract<Allotment, { fits: true }>;

interface Source {
  readonly entry: BudgetEntry;
  readonly kind: 'file' | 'missing';
  /** The right-trimmed text, or the marker in its place. */
  readonly text: string;
  readonly length: number;
  /** The entry when only its own limit counts. */
  readonly atOwnLimit: TrimmedText;
  /**
   * The length of that text. A trimmed text is usually a little shorter than its limit, and other entries use the rest.
   */
  readonly cap: number;
  readonly required: number;
}

function openSource(entry: BudgetEntry, maxChars: number, options: BudgetOptions): Source {
  if (entry.missing) {
    const text = entry.marker ?? `[MISSING] Expected at: ${entry.path}`;
    return {
      entry,
      kind: 'missing',
      text,
      length: text.length,
      atOwnLimit: clampMarker(text, text.length),
      cap: text.length,
      required: 0,
    };
  }
  const text = entry.text.trimEnd();
  const { keep } = entry;
  const required = keptLength({ name: entry.name, text, keep });
  const atOwnLimit = trimPresent(entry, text, maxChars, options);
  const cap = required > maxChars ? maxChars : atOwnLimit.text.length;
  return { entry, kind: 'file', text, length: text.length, atOwnLimit, cap, required };
}

function trimPresent(entry: PresentEntry, text: string, cap: number, { policyDigest }: BudgetOptions): TrimmedText {
  return text.length <= cap
    ? keepWhole(text)
    : trimFile({ name: entry.name, text, cap, keep: entry.keep, policyDigest });
}

function priorityOrder(entries: readonly BudgetEntry[]): readonly number[] {
  const order = entries.map((_, i) => i);
  if (entries.every((entry) => entry.priority === undefined)) return order;
  const rank = (i: number) => entries[i]?.priority ?? Number.MAX_VALUE;
  return order.sort((a, b) => rank(a) - rank(b));
}

function shareAmong(sources: readonly Source[], total: number, priority: readonly number[]): Shares {
  const allotment = allotBudget({ entries: sources, total, priority });
  if (allotment.fits) return allotment;
  const { scope, index, needed, available } = allotment.shortfall;
  const file = sources[index]?.entry.name ?? '';
  throw new KeptSectionsOverBudgetError({
    file,
    neededChars: needed,
    availableChars: available,
    setting: scope === 'entry' ? 'bootstrapMaxChars' : 'bootstrapTotalMaxChars',
  });
}

/** Finds by binary search the largest total whose shares stay within the tokens. */
function shareWithinTokens(
  sources: readonly Source[],
  total: number,
  maxTokens: number,
  share: (total: number) => Shares,
  options: BudgetOptions,
): Shares {
  const estimate = options.estimateTokens ?? estimateTokens;
  const tokensAtOwnLimit = new Map<Source, number>();
  const tokensOf = (source: Source, chars: number): number => {
    if (chars < source.cap) return estimate(cutToShare(source, chars, options).text);
    const known = tokensAtOwnLimit.get(source) ?? estimate(source.atOwnLimit.text);
    tokensAtOwnLimit.set(source, known);
    return known;
  };
  const tokensAt = (shares: Shares) =>
    sources.reduce((sum, source, i) => sum + tokensOf(source, shares.allotted[i] ?? 0), 0);

  let best = share(total);
  if (tokensAt(best) <= maxTokens) return best;
  const required = sources.reduce((sum, source) => sum + source.required, 0);
  best = share(required);
  const least = tokensAt(best);
  if (least > maxTokens) {
    const files = sources.filter((source) => source.required > 0).map((source) => source.entry.name);
    throw new KeptSectionsOverTokenBudgetError({ files, neededTokens: least, availableTokens: maxTokens });
  }
  let fits = required;
  let over = Math.min(
    total,
    sources.reduce((sum, source) => sum + source.cap, 0),
  );
  while (over - fits > 1) {
    const middle = Math.floor((fits + over) / 2);
    const shares = share(middle);
    if (tokensAt(shares) <= maxTokens) {
      fits = middle;
      best = shares;
    } else {
      over = middle;
    }
  }
  return best;
}

function cutToShare(source: Source, share: number, options: BudgetOptions): TrimmedText {
  if (share >= source.cap) return source.atOwnLimit;
  if (source.entry.missing) return clampMarker(source.text, share);
  if (share === 0) return renderPieces(source.text, [], 0);
  return trimPresent(source.entry, source.text, share, options);
}

function clampMarker(marker: string, room: number): TrimmedText {
  const clamped =
    marker.length <= room || room <= 3 ? marker : `${marker.slice(0, pairBoundaryBefore(marker, room - 1))}…`;
  return renderPieces('', [{ kind: 'marker', text: clamped }], room);
}

function fitEntry(
  source: Source,
  maxChars: number,
  share: number,
  shareByChars: number,
  options: BudgetOptions,
): FittedEntry {
  const { entry, kind, length, cap } = source;
  const { pieces, cuts, text } = cutToShare(source, share, options);
  const truncated = text.length < length;
  const causes: CutCause[] = [];
  if (truncated && kind === 'file' && length > maxChars) causes.push('per-file-limit');
  if (shareByChars < cap) causes.push('total-limit');
  if (share < shareByChars) causes.push('token-limit');
  return {
    name: entry.name,
    path: entry.path,
    status: kind === 'missing' ? 'missing' : length === 0 ? 'empty' : 'present',
    pieces,
    cuts,
    text,
    rawChars: kind === 'missing' ? 0 : length,
    injectedChars: text.length,
    dropped: truncated && text.length === 0,
    truncated,
    causes,
  };
}

function limitOf(source: Source | undefined, share: number, maxChars: number): number {
  return source && share < source.cap ? share : maxChars;
}

function trimWarning(entry: FittedEntry, limit: number): string {
  return `workspace bootstrap file ${entry.name} is ${entry.rawChars} chars (limit ${limit}); truncating in injected context`;
}

/**
 * There is no warning when the budget was used to the last character, because other programs expect none. The entries
 * still tell it.
 */
function droppedWarning(remaining: number): readonly string[] {
  if (remaining === 0) return [];
  return [
    `remaining bootstrap budget is ${remaining} chars (<${LEAST_USEFUL_CHARS}); skipping additional bootstrap files`,
  ];
}

function atLeastOne(limit: number): number {
  return limit >= 1 ? Math.floor(limit) : 1;
}
