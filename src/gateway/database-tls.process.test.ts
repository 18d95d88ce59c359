import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LaneJobs } from '../lanes/lane-jobs.ts';
import { StoreFailedError } from '../store/errors.ts';
import { openPostgresStore } from '../store/postgres/open-postgres-store.ts';
import { PostgresConnection } from '../store/postgres/postgres-connection.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../testkit/postgres-server.ts';

const run = promisify(execFile);
const programs = await findPostgres();

// Where Postgres is not installed there is nothing to test with; .ci/run installs it.
describe.skipIf(!programs)('a connection to Postgres with TLS', () => {
  let dir: string;
  let server: PostgresServer;
  let plain: PostgresServer;
  let port: number;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'atrium-tls-'));
    port = await freePort();
    await makeAuthority('ours');
    await makeAuthority('theirs');
    await makeCertificate('ours', 'localhost');
    const [key, certificate] = await Promise.all(
      ['localhost.key', 'localhost.pem'].map((name) => readFile(join(dir, name), 'utf8')),
    );
    server = await startPostgres(programs ?? '', {
      syncs: false,
      tls: { port, key: key ?? '', certificate: certificate ?? '' },
    });
    plain = await startPostgres(programs ?? '', { syncs: false });
  });
  afterAll(async () => {
    await server?.destroy();
    await plain?.destroy();
    await rm(dir, { recursive: true, force: true });
  });

  const openssl = (...args: readonly string[]) => run('openssl', args, { cwd: dir });
  async function makeAuthority(name: string): Promise<void> {
    await openssl(
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`],
      ...['-keyout', `${name}.key`, '-out', `${name}.pem`],
    );
  }
  async function makeCertificate(authority: string, host: string): Promise<void> {
    await openssl(
      ...['req', '-newkey', 'rsa:2048', '-nodes', '-subj', `/CN=${host}`],
      ...['-keyout', `${host}.key`, '-out', `${host}.csr`],
    );
    await writeFile(join(dir, 'names.ext'), `subjectAltName=DNS:${host}`);
    await openssl(
      ...['x509', '-req', '-days', '2', '-in', `${host}.csr`, '-CA', `${authority}.pem`, '-CAkey', `${authority}.key`],
      ...['-CAcreateserial', '-extfile', 'names.ext', '-out', `${host}.pem`],
    );
  }
  const urlOf = (host: string, authority: string) =>
    `postgres://atrium@${host}:${port}/postgres?sslmode=verify-full&sslrootcert=${join(dir, `${authority}.pem`)}`;

  it('is made when the authority and the name are right, for the store and for the lanes', async () => {
    const url = urlOf('localhost', 'ours');
    const store = await openPostgresStore({ url, waitMs: 5_000 });
    await store.probe();
    await store.count('inbox');
    const jobs = new LaneJobs({
      url,
      schema: 'atrium',
      node: 'a',
      full: async () => [],
      take: () => {},
      warn: () => {},
    });
    await jobs.open('a#1');
    const admin = new PostgresConnection({ url: server.url, schema: 'atrium', name: 'tester', waitMs: 5_000 });
    const { rows } = await admin.ask({
      sql: `SELECT DISTINCT a.application_name, s.ssl FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid)
        WHERE a.application_name LIKE 'atrium %' ORDER BY 1`,
      values: [],
    });
    expect(rows).toEqual([
      ['atrium commits', 't'],
      ['atrium lanes', 't'],
      ['atrium reads', 't'],
    ]);
    await Promise.all([admin.close(), jobs.close(), store.close()]);
  });

  it('is refused with a sentence when another authority signed the certificate', async () => {
    const refused = openPostgresStore({ url: urlOf('localhost', 'theirs'), waitMs: 60_000 });
    await expect(refused).rejects.toThrow(StoreFailedError);
    await expect(refused).rejects.toThrow(/its certificate is not accepted .*sslrootcert in its address/);
  });

  it('is refused with a sentence when the certificate is of another name', async () => {
    const refused = openPostgresStore({ url: urlOf('127.0.0.1', 'ours'), waitMs: 60_000 });
    await expect(refused).rejects.toThrow(/its certificate is not accepted .*a name that is in the certificate/);
  });

  it('is refused with a sentence when the server has no TLS', async () => {
    const url = `${plain.url}&sslmode=verify-full`;
    await expect(openPostgresStore({ url, waitMs: 60_000 })).rejects.toThrow(/the server does not support SSL/i);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
