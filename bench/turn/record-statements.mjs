// Loaded into a gateway with `--import`: writes down every statement of every transaction that it makes, with its
// values, so that the very same commits can be made again without a gateway. `ATRIUM_BENCH_STATEMENTS` names the file.

import { createWriteStream } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';

const lines = createWriteStream(process.env.ATRIUM_BENCH_STATEMENTS);
const { prepare } = DatabaseSync.prototype;
let isInTransaction = false;

DatabaseSync.prototype.prepare = function (sql, ...options) {
  const statement = prepare.call(this, sql, ...options);
  const run = statement.run.bind(statement);
  statement.run = (...values) => {
    if (sql.startsWith('BEGIN')) isInTransaction = true;
    if (isInTransaction) lines.write(`${JSON.stringify([sql, values])}\n`);
    if (sql === 'COMMIT' || sql === 'ROLLBACK') isInTransaction = false;
    return run(...values);
  };
  return statement;
};
