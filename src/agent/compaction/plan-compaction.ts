// Decides how a conversation is made shorter: what prompt hooks had added to old messages is left out first, then old tool
// results are pruned, and when that is not enough, older turns become a summary. Pure: what was said and the numbers in,
// positions out.
//
// Promise: a call is never parted from its results, and the last complete turn stays as it was said, unless that turn
// alone is too large; then it is cut between one answered call and the next.

import type { Message } from '../../protocol/message.ts';
import { type PastEntry, withoutPieces } from '../message-spans.ts';
import { type CompactionBounds, type CompactionCause, NO_BOUNDS, type PrunedKind } from './compaction-facts.ts';
import { prunedResult } from './pruned-result.ts';
import { tokensOfMessage } from './request-size.ts';

export interface CompactionNeed {
  readonly why: CompactionCause;
  /** What goes with the request besides what was said before: system blocks, tools, the new message. */
  readonly fixedTokens: number;
  /** Above this the request is too large. */
  readonly limit: number;
  /** What is wanted to stay as it was said. */
  readonly keepRecentTokens: number;
  /** What a summary may take. */
  readonly summaryTokens: number;
  /** What the provider counts for each token of our estimate. */
  readonly scale: number;
  /** Nothing from this position on may be summarised. */
  readonly before?: number | undefined;
}

export interface CompactionPlan {
  /** With pruning alone; null when there is nothing to prune. */
  readonly pruned: PrunedPlan | null;
  /** With a summary too; null when pruning is enough or there is nothing to summarise. */
  readonly summarised: SummaryPlan | null;
  readonly tokensBefore: number;
}

export interface PrunedPlan {
  readonly bounds: CompactionBounds;
  /** What is left out, in the order in which it makes room. */
  readonly kinds: readonly PrunedKind[];
}

export interface SummaryPlan {
  readonly bounds: CompactionBounds;
  /** What the summary will stand for, an earlier summary included. */
  readonly older: readonly PastEntry[];
  readonly olderTokens: number;
}

/** Undefined when nothing can be made shorter, or nothing worth its price. */
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

  // Each kind takes in the ones before it; a shorter list that makes enough room is preferred.
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

/** Pruning is enough when it makes room for more than the next message, or it would begin anew with every run. */
const RELIEF = 0.75;
/** A summary that stands for less than this share of the limit costs more than it gives. */
const LEAST_GAIN = 0.05;

/** What may not be parted: a message, with the results of the calls that it makes. */
interface Unit {
  readonly entries: readonly PastEntry[];
  readonly tokens: number;
  /** What pruning would save, by what is pruned. */
  readonly savings: Readonly<Record<PrunedKind, number>>;
  readonly isSummary: boolean;
  /** True for what a person said, which begins a turn. */
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

/** Where the part begins that is to stay: as much as fits, and never less than the last unit. */
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

/** The position of the last entry before this unit. A summary has a place of its own that says nothing about it. */
function reach(units: readonly Unit[], end: number, least: number): number {
  const entries = units.slice(0, end).flatMap((unit) => (unit.isSummary ? [] : unit.entries));
  return Math.max(least, entries.at(-1)?.position ?? 0);
}

function sumOf<T>(values: readonly T[], count: (value: T) => number): number {
  return values.reduce((sum, value) => sum + count(value), 0);
}
