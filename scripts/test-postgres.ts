// Runs tests of whole gateways with their stores in Postgres instead of a file: starts a server in a scratch folder,
// hands its address to vitest, and removes everything. The arguments are files of tests; by default the crash matrix.

import { spawn } from 'node:child_process';
import { findPostgres, startPostgres } from '../src/testkit/postgres-server.ts';

const programs = await findPostgres();
if (programs === undefined) {
  console.error('Postgres is not installed. On Debian: apt-get install postgresql');
  process.exit(1);
}
const files = process.argv.slice(2);
const server = await startPostgres(programs);
const vitest = spawn(
  'npx',
  ['vitest', 'run', ...(files.length > 0 ? files : ['promises/crash-matrix.process.test.ts'])],
  {
    stdio: 'inherit',
    env: { ...process.env, ATRIUM_TEST_STORE_URL: server.url },
  },
);
const code = await new Promise<number>((resolve) => vitest.once('close', (status) => resolve(status ?? 1)));
await server.destroy();
process.exit(code);
