// SQLite that writes down every statement of every transaction, with its values, and whether the next ones are synced, so
// that the very same commits can be made again without a gateway. `ATRIUM_BENCH_STATEMENTS` names the file.

import { createWriteStream } from 'node:fs';
import { DatabaseSync as BareDatabase } from '@photostructure/sqlite';

export * from '@photostructure/sqlite';

const lines = createWriteStream(process.env.ATRIUM_BENCH_STATEMENTS);
let isInTransaction = false;

export class DatabaseSync extends BareDatabase {
  exec(sql) {
    if (/^PRAGMA synchronous = \w+$/.test(sql)) lines.write(`${JSON.stringify([sql])}\n`);
    return super.exec(sql);
  }

  prepare(sql, ...options) {
    const statement = super.prepare(sql, ...options);
    const run = statement.run.bind(statement);
    const recorded = (...values) => {
      if (sql.startsWith('BEGIN')) isInTransaction = true;
      if (isInTransaction) lines.write(`${JSON.stringify([sql, values])}\n`);
      if (sql === 'COMMIT' || sql === 'ROLLBACK') isInTransaction = false;
      return run(...values);
    };
    return Object.defineProperty(statement, 'run', { value: recorded });
  }
}
