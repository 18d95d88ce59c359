// The SQL of SQLite where it differs. One connection writes, one thing after the other, so no row has to be kept from
// other writers.

import type { Dialect, SqlValue } from '../sql/dialect.ts';

export const SQLITE: Dialect = {
  mark: () => '?',
  returnsSeq: '',
  list: (values): SqlValue => JSON.stringify(values),
  isIn: ({ name }, mark) => `${name} IN (SELECT value FROM json_each(${mark}))`,
  contains: ({ name }, mark, ignoresCase) =>
    ignoresCase ? `instr(lower(${name}), lower(${mark})) > 0` : `instr(${name}, ${mark}) > 0`,
  // The last word of each phrase may be only the beginning of a word.
  hasPhrases: ({ index, phrases }, bind) =>
    `seq IN (SELECT rowid FROM ${index} WHERE ${index} MATCH ${bind(phrases.map((phrase) => `"${phrase}" *`).join(' AND '))})`,
  orderTerm: ({ name }, direction) => `${name} ${direction === 'desc' ? 'DESC' : 'ASC'}`,
  bytesOf: ({ name, kind }) =>
    kind === 'text' || kind === 'json' ? `COALESCE(octet_length(${name}), 0)` : `IIF(${name} IS NULL, 0, 8)`,
  number: (mark) => mark,
  keepsRows: '',
  locksRows: '',
};
