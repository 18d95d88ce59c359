// The SQL of Postgres where it differs. Other nodes write at the same time, so rows that a commit relies on are locked
// until it is over.

import type { Dialect } from '../sql/dialect.ts';

export const POSTGRES: Dialect = {
  mark: (position) => `$${position}`,
  returnsSeq: ' RETURNING seq',
  list: (values) => values,
  isIn: ({ name }, mark) => `${name} = ANY(${mark})`,
  // The columns are compared by code points, and so `lower` changes only the letters A to Z.
  contains: ({ name }, mark, ignoresCase) =>
    ignoresCase ? `strpos(lower(${name}), lower(${mark} COLLATE "C")) > 0` : `strpos(${name}, ${mark}) > 0`,
  // The index finds the rows that have all of the words, and the phrases are then looked for in these.
  hasPhrases: ({ column: { name }, phrases }, bind) => {
    const words = bind(phrases.flatMap(queryWordsOf).join(' & '));
    const exact = phrases.map((phrase) => `strpos(' ' || ${name}, ${bind(` ${phrase}`)}) > 0`);
    return [`to_tsvector('simple', ${name}) @@ to_tsquery('simple', ${words})`, ...exact].join(' AND ');
  },
  orderTerm: ({ name, isNullable }, direction) => {
    const term = `${name} ${direction === 'desc' ? 'DESC' : 'ASC'}`;
    if (!isNullable) return term;
    return `${term} NULLS ${direction === 'desc' ? 'LAST' : 'FIRST'}`;
  },
  bytesOf: ({ name, kind }) =>
    kind === 'text' || kind === 'json'
      ? `COALESCE(octet_length(${name}), 0)`
      : `CASE WHEN ${name} IS NULL THEN 0 ELSE 8 END`,
  number: (mark) => `${mark}::double precision`,
  keepsRows: ' FOR SHARE',
  locksRows: ' FOR UPDATE',
};

/** The last word of a phrase may be only the beginning of a word. */
function queryWordsOf(phrase: string): readonly string[] {
  const words = phrase.split(' ').map((word) => `'${word}'`);
  return [...words.slice(0, -1), `${words.at(-1)}:*`];
}
