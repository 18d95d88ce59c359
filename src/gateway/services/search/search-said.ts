// Finds what was said in all conversations by its words: each word of the question stands in the entry, or is the
// beginning of one that does; words without a space between them stand beside each other.
// Errors: rejects with the errors of the store. A question without words finds nothing.

import { clip } from '../../../protocol/one-line.ts';
import { saidIn } from '../../../sessions/said-in.ts';
import type { Store } from '../../../store/store.ts';
import { phrasesOf, wordsOf } from './words-of.ts';

export interface SearchQuery {
  readonly text: string;
  readonly agentId?: string | undefined;
  readonly limit: number;
  /** Only what was indexed before this one: the `next` of the page before. */
  readonly before?: number | undefined;
}

export interface FoundEntry {
  readonly sessionId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  readonly position: number;
  readonly runId: string;
  readonly at: number;
  readonly role: 'user' | 'assistant';
  /** The words around the first place, in one line. */
  readonly excerpt: string;
}

/** The latest first. `next` is handed in as `before`, or null on the last page. */
export async function searchSaid(
  store: Store,
  { text, agentId, limit, before }: SearchQuery,
): Promise<{ readonly found: readonly FoundEntry[]; readonly next: number | null }> {
  const phrases = phrasesOf(text.slice(0, LONGEST_QUESTION));
  if (phrases.length === 0) return { found: [], next: null };
  const rows = await store.select('entryWords', {
    where: { words: { phrases }, agentId, ...(before === undefined ? {} : { seq: { lt: before } }) },
    orderBy: [['seq', 'desc']],
    limit: limit + 1,
  });
  const page = rows.slice(0, limit);
  const sessionIds = [...new Set(page.map(({ sessionId }) => sessionId))];
  const sessions = await store.select('sessions', { where: { sessionId: { in: sessionIds } } });
  const keys = new Map(sessions.map(({ sessionId, sessionKey }) => [sessionId, sessionKey]));
  const found: FoundEntry[] = [];
  for (const { sessionId, position, agentId: agent, at } of page) {
    const [entry] = await store.select('transcript', { where: { sessionId, position }, limit: 1 });
    const sessionKey = keys.get(sessionId);
    if (!entry || sessionKey === undefined || entry.kind !== 'message' || entry.message.role === 'tool') continue;
    const { runId, message } = entry;
    const excerpt = excerptOf(saidIn(entry), phrases);
    found.push({ sessionId, sessionKey, agentId: agent, position, runId, at, role: message.role, excerpt });
  }
  return { found, next: rows.length > limit ? (page.at(-1)?.seq ?? null) : null };
}

const LONGEST_QUESTION = 500;
const EXCERPT_CHARS = 200;
const CHARS_BEFORE = 40;
/** In a longer text, only the beginning is looked through for the best place. */
const LOOKED_THROUGH = 200_000;

/** Begins some words before the first place that has as many of the words as any other. */
function excerptOf(text: string, phrases: readonly string[]): string {
  const line = text
    .slice(0, LOOKED_THROUGH)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  const start = Math.max(0, bestPlace(line, phrases) - CHARS_BEFORE);
  const from = start === 0 ? 0 : line.indexOf(' ', start) + 1;
  return `${from === 0 ? '' : '…'}${clip(line.slice(from), EXCERPT_CHARS)}`;
}

function bestPlace(line: string, phrases: readonly string[]): number {
  const firsts = phrases.map((phrase) => phrase.split(' ')[0] ?? '');
  let best = { at: 0, count: 0 };
  /** The words that stand within the length of an excerpt, up to the current one. */
  let near: { readonly at: number; readonly firsts: readonly string[] }[] = [];
  for (const { index, 0: word } of line.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    const asked = ` ${wordsOf(word)}`;
    const here = firsts.filter((first) => asked.includes(` ${first}`));
    if (here.length === 0) continue;
    near = [...near.filter(({ at }) => index - at < EXCERPT_CHARS - CHARS_BEFORE), { at: index, firsts: here }];
    const count = new Set(near.flatMap((each) => each.firsts)).size;
    if (count > best.count) best = { at: lastRun(near, count), count };
    if (count === firsts.length) break;
  }
  return best.at;
}

/** Where the shortest run of words begins that ends with the last one and has so many different ones. */
function lastRun(near: readonly { readonly at: number; readonly firsts: readonly string[] }[], count: number): number {
  const seen = new Set<string>();
  for (const { at, firsts } of near.toReversed()) {
    for (const first of firsts) seen.add(first);
    if (seen.size === count) return at;
  }
  return 0;
}
