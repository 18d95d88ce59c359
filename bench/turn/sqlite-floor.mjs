// The bare commits of turns: the statements of a gateway's transactions, made again in a copy of its database as it was
// before, by the same library with the same settings, and by nothing else.

import { copyFile, readFile } from 'node:fs/promises';
import { DatabaseSync } from '@photostructure/sqlite';

/** Milliseconds of all recorded transactions, how many there were, and how many of them were synced. */
export async function replayStatements(statementsFile, databaseBefore, scratchFile) {
  const lines = (await readFile(statementsFile, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  await copyFile(databaseBefore, scratchFile);
  const database = new DatabaseSync(scratchFile, { enableForeignKeyConstraints: false });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY');
  database.exec('PRAGMA wal_autocheckpoint = 8000; PRAGMA secure_delete = ON');
  const prepared = new Map();
  for (const [sql, values] of lines) if (values && !prepared.has(sql)) prepared.set(sql, database.prepare(sql));
  let isSynced = true;
  let commits = 0;
  let syncs = 0;
  const begun = performance.now();
  for (const [sql, values] of lines) {
    if (values) prepared.get(sql).run(...values);
    else {
      database.exec(sql);
      isSynced = sql.endsWith('FULL');
    }
    if (sql !== 'COMMIT') continue;
    commits += 1;
    if (isSynced) syncs += 1;
  }
  const ms = performance.now() - begun;
  database.close();
  return { ms, commits, syncs };
}
