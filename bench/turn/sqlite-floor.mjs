// The bare commits of turns: the statements of a gateway's transactions, made again in a copy of its database as it was
// before, by the same library with the same settings, and by nothing else.

import { copyFile, readFile } from 'node:fs/promises';
import { DatabaseSync } from '@photostructure/sqlite';

/** Milliseconds of all recorded transactions, and how many there were. */
export async function replayStatements(statementsFile, databaseBefore, scratchFile) {
  const lines = (await readFile(statementsFile, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  await copyFile(databaseBefore, scratchFile);
  const database = new DatabaseSync(scratchFile, { enableForeignKeyConstraints: false });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY');
  const prepared = new Map();
  for (const [sql] of lines) if (!prepared.has(sql)) prepared.set(sql, database.prepare(sql));
  const begun = performance.now();
  for (const [sql, values] of lines) prepared.get(sql).run(...values);
  const ms = performance.now() - begun;
  database.close();
  return { ms, commits: lines.filter(([sql]) => sql === 'COMMIT').length };
}
