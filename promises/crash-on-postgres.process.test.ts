// The crash matrix in short, with the store in a Postgres database: a kill at one commit of each kind that a conversation makes. The whole matrix
// runs there with `npm run test:postgres`.

import { afterAll, describe, it } from 'vitest';
import { findPostgres, startPostgres } from '../src/testkit/postgres-server.ts';
import { inTurn } from './fixtures/crash-stage.ts';
import { talk } from './fixtures/crash-talk.ts';

const programs = await findPostgres();
const server = programs === undefined ? undefined : await startPostgres(programs);
afterAll(() => server?.destroy());

const POINTS = [
  'accept:after',
  'request:before',
  'tool-start:after',
  'tool-result:before',
  'result:after',
  'receipt:before',
];
const TIMEOUT_MS = 120_000;

// Where Postgres is not installed there is nothing to test with; .ci/run installs it.
describe.skipIf(!server).concurrent('a gateway whose store is in a database, and that is killed', () => {
  for (const [index, point] of POINTS.entries()) {
    const store = { url: server?.url, schema: `crash_${index}` };
    it(`answers everything once, at ${point}`, () => inTurn(() => talk(point, { store })), TIMEOUT_MS);
  }
});
