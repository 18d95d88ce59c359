// JSON that a model and a person can both read: facts on the first line, then one line per row.

import type { JsonObject } from '../protocol/json.ts';

/** `{"count":2,"sessions":[` … `]}`, and plain JSON all the same. Fields that are undefined are left out. */
export function formatRows(facts: object, name: string, rows: readonly object[]): string {
  const head = JSON.stringify(facts).slice(0, -1);
  const opening = `${head}${head === '{' ? '' : ','}${JSON.stringify(name)}:[`;
  if (rows.length === 0) return `${opening}]}`;
  return `${opening}\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]}`;
}

/** The same value as plain data, for details. */
export function asDetails(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value));
}
