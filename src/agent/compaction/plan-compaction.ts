// Decides how a conversation is shortened: what prompt hooks had added to old messages is left out first, then old tool
// results are pruned, and when that is not enough, older turns become a summary. The functions are pure: they take
// entries and numbers and give positions.
// Promise: a tool call is never separated from its results, and the last complete turn stays as it was said, unless
// that turn alone is too large; then it is cut between one answered call and the next.

import type { Message } from '../../protocol/message.ts';
import { type PastEntry, withoutPieces } from '../message-spans.ts';
import { type CompactionBounds, type CompactionCause, NO_BOUNDS, type PrunedKind } from './compaction-facts.ts';
import { prunedResult } from './pruned-result.ts';
import { tokensOfMessage } from './request-size.ts';

export interface CompactionNeed {
  readonly why: CompactionCause;
  /** The size of the request without earlier messages: system blocks, tools, and the new message. */
  readonly fixedTokens: number;
  /** A request above this size is too large. */
  readonly limit: number;
  /** How many tokens of recent messages should stay unchanged. */
  readonly keepRecentTokens: number;
  /** How many tokens a summary may have. */
  readonly summaryTokens: number;
  /** The provider's count for each token of our estimate. */
  readonly scale: number;
  /** Entries from this position on must not be summarised. */
  readonly before?: number | undefined;
}

export interface CompactionPlan {
  /** The plan with pruning alone; null when there is nothing to prune. */
  readonly pruned: PrunedPlan | null;
  /** The plan with a summary too; null when pruning is enough or there is nothing to summarise. */
  readonly summarised: SummaryPlan | null;
  readonly tokensBefore: number;
}

export interface PrunedPlan {
  readonly bounds: CompactionBounds;
  /** The kinds of content that are left out, in the order in which they are tried. */
  readonly kinds: readonly PrunedKind[];
}

export interface SummaryPlan {
  readonly bounds: CompactionBounds;
  /** The entries that the summary will replace, including an earlier summary. */
  readonly older: readonly PastEntry[];
  readonly olderTokens: number;
}

/** Undefined when the conversation cannot be shortened, or when a shorter one would not be worth the cost. */
export function planCompaction(
  told: readonly PastEntry[],
  earlier: CompactionBounds | undefined,
  need: CompactionNeed,
): CompactionPlan | undefined {
  const units = unitsOf(told, need.scale);
  const saidTokens = sumOf(units, ({ tokens }) => tokens);
  const tokensBefore = need.fixedTokens + saidTokens;
  // A provider that refused the request knows its size better than the estimate does.
  const limit = need.why === 'refused' ? Math.min(need.limit, tokensBefore / 2) : need.limit;
  const room = Math.max(0, limit - need.fixedTokens - need.summaryTokens);
  const keep = Math.min(need.keepRecentTokens, room / 2, need.why === 'asked' ? saidTokens / 4 : Infinity);
  const recent = recentFrom(units, keep);
  const bounds = earlier ?? NO_BOUNDS;

  // Each kind includes the ones before it; the shortest list that makes enough room is used.
  const savedBy = (kind: PrunedKind) => sumOf(units.slice(0, recent), ({ savings }) => savings[kind]);
  const kinds = PRUNED_IN_ORDER.filter((kind) => savedBy(kind) > 0);
  let pruned: PrunedPlan | null = null;
  let saved = 0;
  for (const kind of kinds) {
    saved += savedBy(kind);
    const bound = BOUND_OF_KIND[kind];
    const before: PrunedPlan = pruned ?? { bounds, kinds: [] };
    pruned = {
      bounds: { ...before.bounds, [bound]: reach(units, recent, bounds[bound]) },
      kinds: [...before.kinds, kind],
    };
    if (need.why !== 'asked' && tokensBefore - saved <= limit * RELIEF) {
      return { pruned, summarised: null, tokensBefore };
    }
  }

  const cut = Math.min(cutAt(units, recent, room), firstFrom(units, need.before));
  const fresh = sumOf(units.slice(0, cut), ({ tokens, isSummary }) => (isSummary ? 0 : tokens));
  const isWorthIt = need.why === 'size' ? fresh >= limit * LEAST_GAIN : fresh > 0;
  if (!isWorthIt) return pruned ? { pruned, summarised: null, tokensBefore } : undefined;
  const summarisedTo = reach(units, cut, bounds.summarisedTo);
  return {
    pruned,
    summarised: {
      bounds: {
        summarisedTo,
        prunedTo: Math.max(summarisedTo, (pruned?.bounds ?? bounds).prunedTo),
        contributionsTo: Math.max(summarisedTo, (pruned?.bounds ?? bounds).contributionsTo),
      },
      older: units.slice(0, cut).flatMap(({ entries }) => entries.map(withoutContributions)),
      olderTokens: sumOf(units.slice(0, cut), ({ tokens }) => tokens),
    },
    tokensBefore,
  };
}

const PRUNED_IN_ORDER: readonly PrunedKind[] = ['contributions', 'tool-results'];

const BOUND_OF_KIND = { contributions: 'contributionsTo', 'tool-results': 'prunedTo' } as const;

/** Pruning is enough only when it makes room for more than the next message; otherwise every run would prune again. */
const RELIEF = 0.75;
/** A summary that replaces less than this share of the limit costs more than it saves. */
const LEAST_GAIN = 0.05;

/** Entries that must stay together: a message, with the results of its tool calls. */
interface Unit {
  readonly entries: readonly PastEntry[];
  readonly tokens: number;
  /** The tokens that pruning would save, by kind. */
  readonly savings: Readonly<Record<PrunedKind, number>>;
  readonly isSummary: boolean;
  /** True for a person's message, which begins a turn. */
  readonly beginsTurn: boolean;
}

function unitsOf(told: readonly PastEntry[], scale: number): readonly Unit[] {
  const groups: PastEntry[][] = [];
  for (const entry of told) {
    const last = groups.at(-1);
    if (entry.message.role === 'tool' && last) last.push(entry);
    else groups.push([entry]);
  }
  return groups.map((entries): Unit => {
    const [first] = entries;
    const isSummary = first?.kind === 'compaction';
    return {
      entries,
      tokens: sumOf(entries, ({ message }) => tokensOfMessage(message)) * scale,
      savings: {
        contributions: sumOf(entries, (entry) => savingsOf(entry, withoutContributions(entry).message)) * scale,
        'tool-results': sumOf(entries, (entry) => savingsOf(entry, prunedResult(entry.message))) * scale,
      },
      isSummary,
      beginsTurn: !isSummary && first?.message.role === 'user' && first.meta.revision !== true,
    };
  });
}

function savingsOf({ message }: PastEntry, short: Message | undefined): number {
  return short && short !== message ? Math.max(0, tokensOfMessage(message) - tokensOfMessage(short)) : 0;
}

function withoutContributions(entry: PastEntry): PastEntry {
  return withoutPieces(entry, ({ told }) => told === 'until-compaction');
}

/** The start of the part that stays unchanged: as much as fits, and at least the last unit. */
function recentFrom(units: readonly Unit[], keep: number): number {
  let start = units.length;
  let tokens = 0;
  while (start > 0) {
    tokens += units[start - 1]?.tokens ?? 0;
    if (tokens > keep) break;
    start -= 1;
  }
  return Math.min(start, Math.max(0, units.length - 1));
}

function cutAt(units: readonly Unit[], recent: number, room: number): number {
  const lastTurn = units.findLastIndex(({ beginsTurn }) => beginsTurn);
  const run = units.findIndex(({ beginsTurn }, index) => beginsTurn && index >= recent);
  if (run !== -1) return run;
  const left = (index: number) => sumOf(units.slice(index), ({ tokens }) => tokens);
  const isTooLarge = lastTurn === -1 || left(lastTurn) - sumOf(units.slice(lastTurn, recent), savedIn) > room;
  return isTooLarge ? recent : lastTurn;
}

function savedIn({ savings }: Unit): number {
  return sumOf(PRUNED_IN_ORDER, (kind) => savings[kind]);
}

function firstFrom(units: readonly Unit[], position: number | undefined): number {
  if (position === undefined) return units.length;
  const index = units.findIndex(({ entries, isSummary }) => !isSummary && (entries.at(-1)?.position ?? 0) >= position);
  return index === -1 ? units.length : index;
}

/** The position of the last entry before this unit. A summary's own position does not count. */
function reach(units: readonly Unit[], end: number, least: number): number {
  const entries = units.slice(0, end).flatMap((unit) => (unit.isSummary ? [] : unit.entries));
  return Math.max(least, entries.at(-1)?.position ?? 0);
}

function sumOf<T>(values: readonly T[], count: (value: T) => number): number {
  return values.reduce((sum, value) => sum + count(value), 0);
}
