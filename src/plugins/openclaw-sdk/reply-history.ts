// Messages of a group that have no answer yet, kept by the plugin in a map of its own and shown with the next one that
// is answered. A limit of zero switches it off.

import { pruneMapToMaxSize } from './async-work.ts';

export const DEFAULT_GROUP_HISTORY_LIMIT = 50;

export interface HistoryEntry {
  readonly sender: string;
  readonly body: string;
  readonly timestamp?: number;
  readonly messageId?: string;
}

interface HistoryPlace<Entry extends HistoryEntry = HistoryEntry> {
  readonly historyMap: Map<string, Entry[]>;
  readonly historyKey: string;
  readonly limit: number;
}

/** What is kept for the group now. The oldest goes first, of messages and of groups. */
export function recordPendingHistoryEntryIfEnabled<Entry extends HistoryEntry>({
  historyMap,
  historyKey,
  limit,
  entry,
}: HistoryPlace<Entry> & { readonly entry?: Entry | null }): Entry[] {
  if (limit <= 0 || !entry) return [];
  const kept = [...(historyMap.get(historyKey) ?? []), entry].slice(-limit);
  historyMap.delete(historyKey);
  historyMap.set(historyKey, kept);
  pruneMapToMaxSize(historyMap, MAX_GROUPS);
  return kept;
}

/** The message as it stands when there is nothing to show before it. */
export function buildPendingHistoryContextFromMap({
  historyMap,
  historyKey,
  limit,
  currentMessage,
  formatEntry,
  lineBreak = '\n',
}: HistoryPlace & {
  readonly currentMessage: string;
  readonly formatEntry: (entry: HistoryEntry) => string;
  readonly lineBreak?: string;
}): string {
  const pending = limit > 0 ? (historyMap.get(historyKey) ?? []) : [];
  if (pending.length === 0) return currentMessage;
  return [EARLIER, ...pending.map(formatEntry), '', CURRENT, currentMessage].join(lineBreak);
}

export function clearHistoryEntriesIfEnabled({ historyMap, historyKey, limit }: HistoryPlace): void {
  if (limit > 0) historyMap.set(historyKey, []);
}

const EARLIER = '[Earlier in this group, not answered]';
const CURRENT = '[The message to answer]';
const MAX_GROUPS = 1_000;
