// Opens a database that lives in memory only and holds one full-text table. The library is loaded at the first opening,
// because most agents never search.

import type { Database } from '../../store/sqlite/database.ts';

/** In pages of 4 KiB: texts, their copies for searching, and the index over them. */
const MAX_PAGES = 8_192;

export async function openIndexDatabase(): Promise<Database> {
  const { DatabaseSync } = await import('@photostructure/sqlite');
  const database = new DatabaseSync(':memory:', { returnArrays: true });
  database.exec(`PRAGMA max_page_count = ${MAX_PAGES}; PRAGMA temp_store = MEMORY`);
  database.exec(`
    CREATE VIRTUAL TABLE chunks USING fts5 (
      heading, body, path UNINDEXED, first_line UNINDEXED, last_line UNINDEXED, title UNINDEXED, text UNINDEXED,
      tokenize = "unicode61 remove_diacritics 2"
    )`);
  return database;
}
