// Which tables of the store hold which kind of record, and how many bytes each kind takes.

import type { Store } from '../store/store.ts';
import type { TableName } from '../store/tables.ts';

export const RECORD_TABLES = {
  captures: ['captures', 'parts'],
  receipts: ['promptPieces', 'promptReceipts'],
  transcripts: ['transcript'],
  messages: ['inbox', 'outbox', 'journal'],
  'hook-records': ['hookRecords'],
  usage: ['usage'],
  approvals: ['approvals'],
} as const satisfies Readonly<Record<string, readonly TableName[]>>;

export type RecordKind = keyof typeof RECORD_TABLES;

/** The bytes of the values in these tables; the file of the store also has indexes and free space. */
export async function measureRecords(store: Pick<Store, 'measure'>, kind: RecordKind): Promise<number> {
  let bytes = 0;
  for (const table of RECORD_TABLES[kind]) bytes += await store.measure(table);
  return bytes;
}
