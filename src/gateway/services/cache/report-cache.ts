// The health of the providers' prompt caches: what was read from them and written to them, how much of each request was the
// same as in the one before, and every place where it was not, with its author. Everything is computed when somebody asks,
// from what is recorded anyway; a run does nothing for it.
// Errors: UnknownRunError when a run is named that does not exist.

import { costOf } from '../../../models/cost-of.ts';
import type { ModelPrices } from '../../../protocol/model-prices.ts';
import { NO_USAGE } from '../../../protocol/usage.ts';
import type { Store } from '../../../store/store.ts';
import type { RunRow } from '../../../store/tables.ts';
import { UnknownRunError } from '../../errors.ts';
import { runsSince } from '../runs-since.ts';
import { sumUsage } from '../usage.ts';
import { CapturedRequests } from './captured-requests.ts';
import {
  type ComparedRequest,
  compareRequest,
  findNewFrom,
  type NewFrom,
  type PrefixBreak,
} from './compare-request.ts';

export interface CacheQuery {
  /** A time in milliseconds. Only runs that began at this time or later count. */
  readonly since?: number | undefined;
  readonly agentId?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly runId?: string | undefined;
}

export interface CacheReport {
  readonly tokens: CacheTokens;
  /** What the caches saved; negative when writing to them cost more. Null when no price is known. */
  readonly saved: number | null;
  /** How many calls have no known price, so that `saved` does not count them. */
  readonly unpriced: number;
  readonly requests: {
    readonly runs: number;
    readonly sent: number;
    /** How many were compared with an earlier request. */
    readonly compared: number;
    /** How many had no earlier request to share with. */
    readonly first: number;
    /** How many are not stored any more. */
    readonly gone: number;
  };
  readonly prefix: {
    readonly sharedBytes: number;
    readonly shareableBytes: number;
    /** A number from 0 to 1; null when nothing could be shared. */
    readonly share: number | null;
  };
  /** The most expensive first. */
  readonly breaks: readonly CacheBreak[];
  /** How many breaks there were; the list has the most expensive ones. */
  readonly breakCount: number;
  /** The requests one by one, when a run was asked for. */
  readonly calls: readonly (ComparedRequest & { readonly newFrom: NewFrom | null })[] | null;
}

export interface CacheTokens {
  /** All input tokens. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Those that were neither read from a cache nor written to one. */
  readonly uncached: number;
}

export interface CacheBreak extends PrefixBreak, Pick<ComparedRequest, 'call' | 'at' | 'provider' | 'model' | 'with'> {
  readonly runId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  /** An estimate: the run's own tokens for each byte that it sent. */
  readonly lostTokens: number;
  /** What these tokens cost more as fresh input than read from the cache; null when no price is known. */
  readonly lostCost: number | null;
  /** How often this author broke a prefix in the time that was asked for. */
  readonly times: number;
}

export type PricesOf = (provider: string, model: string) => Promise<ModelPrices | undefined>;

export const MOST_BREAKS = 200;

export async function reportCache(store: Store, query: CacheQuery, pricesOf: PricesOf): Promise<CacheReport> {
  const requests = new CapturedRequests(store);
  const counts = { runs: 0, sent: 0, compared: 0, first: 0, gone: 0 };
  const breaks: Omit<CacheBreak, 'times'>[] = [];
  const times = new Map<string, number>();
  const calls: (ComparedRequest & { readonly newFrom: NewFrom | null })[] = [];
  let [shared, shareable] = [0, 0];
  for await (const run of runsOf(store, query)) {
    const sent = await requests.ofRun(run.runId);
    if (sent.length > 0) counts.runs += 1;
    let bytes = 0;
    const broken: ComparedRequest[] = [];
    for (const capture of sent) {
      counts.sent += 1;
      const compared = await compareRequest(store, requests, { run, capture });
      counts[compared === undefined ? 'gone' : compared.with ? 'compared' : 'first'] += 1;
      if (!compared) continue;
      bytes += compared.bytes;
      shared += compared.sharedBytes;
      shareable += compared.shareableBytes;
      if (compared.break) broken.push(compared);
      if (query.runId !== undefined)
        calls.push({ ...compared, newFrom: await findNewFrom(requests, { run, capture }) });
    }
    const perByte = broken.length === 0 ? 0 : await tokensPerByte(store, run, bytes);
    for (const each of broken) {
      if (!each.break) continue;
      times.set(each.break.author, (times.get(each.break.author) ?? 0) + 1);
      breaks.push(await breakOf(run, each, each.break, perByte, pricesOf));
    }
    if (breaks.length > 2 * MOST_BREAKS) breaks.sort(byLoss).splice(MOST_BREAKS);
  }
  return {
    ...(await spent(store, query, pricesOf)),
    requests: counts,
    prefix: { sharedBytes: shared, shareableBytes: shareable, share: shareable === 0 ? null : shared / shareable },
    breaks: breaks
      .sort(byLoss)
      .slice(0, MOST_BREAKS)
      .map((each) => ({ ...each, times: times.get(each.author) ?? 1 })),
    breakCount: [...times.values()].reduce((sum, each) => sum + each, 0),
    calls: query.runId === undefined ? null : calls,
  };
}

async function* runsOf(store: Store, { since = 0, runId, ...asked }: CacheQuery): AsyncGenerator<RunRow> {
  if (runId === undefined) return yield* runsSince(store, { since, ...asked });
  const [run] = await store.select('runs', { where: { runId }, limit: 1 });
  if (!run) throw new UnknownRunError({ runId });
  yield run;
}

function byLoss(a: Pick<CacheBreak, 'lostTokens' | 'at'>, b: Pick<CacheBreak, 'lostTokens' | 'at'>): number {
  return b.lostTokens - a.lostTokens || b.at - a.at;
}

async function breakOf(
  { runId, sessionKey, agentId }: RunRow,
  { call, at, provider, model, with: compared }: ComparedRequest,
  found: PrefixBreak,
  perByte: number,
  pricesOf: PricesOf,
): Promise<Omit<CacheBreak, 'times'>> {
  const lostTokens = Math.round(found.lostBytes * perByte);
  const prices = await pricesOf(provider, model);
  const lostCost = prices ? (lostTokens * ((prices.input ?? 0) - (prices.cacheRead ?? 0))) / 1_000_000 : null;
  return { runId, sessionKey, agentId, call, at, provider, model, with: compared, ...found, lostTokens, lostCost };
}

/** What the provider counted for what the run sent; a usual figure where it counted nothing. */
async function tokensPerByte(store: Store, { runId }: RunRow, bytes: number): Promise<number> {
  const rows = await store.select('usage', { where: { runId, purpose: 'run' } });
  const input = rows.reduce((sum, row) => sum + row.input, 0);
  return input === 0 || bytes === 0 ? USUAL_TOKENS_PER_BYTE : input / bytes;
}

const USUAL_TOKENS_PER_BYTE = 1 / 4;

/** The difference between what the calls cost and what they would have cost without any cache. */
async function spent(
  store: Store,
  query: CacheQuery,
  pricesOf: PricesOf,
): Promise<Pick<CacheReport, 'tokens' | 'saved' | 'unpriced'>> {
  const { groups, others, total } = await sumUsage(store, { ...query, by: 'model', timezone: 'UTC' });
  let saved: number | null = null;
  let unpriced = others?.calls ?? 0;
  for (const { key, calls, input, cacheRead, cacheWrite } of groups) {
    const slash = key.indexOf('/');
    // The calls are added up, so which of them had a long prompt is not known, and the ordinary prices count.
    const { tiers: _, ...prices } = (await pricesOf(key.slice(0, slash), key.slice(slash + 1))) ?? {};
    const without = costOf({ ...NO_USAGE, input }, prices);
    const real = costOf({ ...NO_USAGE, input, cacheRead, cacheWrite }, prices);
    if (without === undefined || real === undefined) unpriced += calls;
    else saved = (saved ?? 0) + without - real;
  }
  const { input, cacheRead, cacheWrite } = total;
  const uncached = Math.max(0, input - cacheRead - cacheWrite);
  return { tokens: { input, cacheRead, cacheWrite, uncached }, saved, unpriced };
}
