// The table that a write is about, whatever kind of write it is.

import type { Write } from './store.ts';
import type { TableName } from './tables.ts';

export function tableOf(write: Write): TableName {
  if ('insert' in write) return write.insert;
  if ('update' in write) return write.update;
  return 'add' in write ? write.add : write.remove;
}
