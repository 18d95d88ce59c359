// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such texts are what people write into the configuration.

import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../store/open-store.ts';
import { PostgresConnection } from '../../store/postgres/postgres-connection.ts';
import { openSqliteStore } from '../../store/sqlite/open-sqlite-store.ts';
import { acquireStateLock } from '../../store/state-lock.ts';
import type { Write } from '../../store/store.ts';
import { findPostgres, type PostgresServer, startPostgres } from '../../testkit/postgres-server.ts';
import { CliHome } from '../fixtures/cli-home.ts';

const programs = await findPostgres();
const COMMAND = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const photo = randomBytes(1_500_000);
const hash = createHash('sha256').update(photo).digest('hex');

// Where Postgres is not installed there is nothing to test with; .ci/run installs it.
describe.skipIf(!programs)('atrium store', () => {
  let server: PostgresServer;
  let admin: PostgresConnection;
  let home: CliHome;
  let schema: string;
  let schemas = 0;
  beforeAll(async () => {
    server = await startPostgres(programs ?? '', { syncs: false });
    admin = new PostgresConnection({ url: server.url, schema: 'public', name: 'test', waitMs: 30_000 });
  });
  afterAll(async () => {
    await admin.close();
    await server.destroy();
  });
  beforeEach(async () => {
    home = (await CliHome.create({ 'openclaw.json': '{}' })) as CliHome;
    onTestFinished(() => home.remove());
    schema = `cli_${++schemas}`;
  });

  const file = () => home.path('atrium/atrium.db');
  const migrate = (...argv: readonly string[]) => home.run(['store', 'migrate', ...argv]);
  const toDatabase = (...argv: readonly string[]) => migrate('--to', server.url, '--schema', schema, ...argv);
  const fill = async (rows: number) => {
    const store = await openSqliteStore({ file: file() });
    for (let at = 0; at < rows; at += 1_000)
      await store.commit(
        Array.from({ length: Math.min(1_000, rows - at) }, (_, index) => entry(at + index)),
        { site: 'import' },
      );
    await store.close();
    await mkdir(home.path('atrium/attachments'), { recursive: true });
    await writeFile(home.path(`atrium/attachments/${hash}`), photo);
  };
  const count = async (sql: string) => Number((await admin.ask({ sql, values: [] })).rows[0]?.[0]);

  it('says where the store is and what is in it, before and after', async () => {
    expect(await home.run(['store', 'show'])).toMatchObject({
      code: 1,
      out: expect.stringContaining('There is no store'),
    });
    await fill(25);
    const { out } = await home.run(['store', 'show']);
    expect(out).toContain(file());
    expect(out).toMatch(/^kind +sqlite$/m);
    expect(out).toMatch(/^version +\d+ of its tables$/m);
    expect(out).toMatch(/^rows +25$/m);
    expect(out).toMatch(/^files +1, 1.4 MB/m);
    expect((await toDatabase('--use')).code).toBe(0);
    const shown = (await home.runJson(['store', 'show'])) as Record<string, unknown>;
    expect(shown).toMatchObject({ kind: 'postgres', rows: 25, files: { count: 1, bytes: photo.length } });
    expect(JSON.stringify(shown)).not.toContain('host=');
  });

  it('shows what would be moved, and changes nothing', async () => {
    await fill(30);
    const dry = await toDatabase('--dry-run');
    expect(dry.code).toBe(0);
    expect(dry.out).toMatch(/rows of transcript +30\n/);
    expect(dry.out).toMatch(/files of messages +1\n/);
    expect(dry.out).toContain('The other place is empty. Nothing was moved.');
    expect(await count(`SELECT count(*) FROM information_schema.schemata WHERE schema_name = '${schema}'`)).toBe(0);
  });

  it('moves everything to a database and back, and changes the configuration only when it is told to', async () => {
    await fill(5_000);
    const before = await readFile(home.path('openclaw.json'), 'utf8');
    const moved = await toDatabase();
    for (const told of moved.err.trimEnd().split('\n'))
      expect(told).toMatch(/^(moving|checking) \w+: [\d,]+ of 5,001$/);
    expect(moved.code, moved.err).toBe(0);
    expect(moved.out).toContain('Moved 5,000 rows and 1 file');
    expect(moved.out).toContain('The old store is unchanged.');
    expect(moved.out).toContain(`  atrium config set store '${JSON.stringify({ url: server.url, schema })}'\n`);
    expect(await readFile(home.path('openclaw.json'), 'utf8')).toBe(before);
    expect(await count(`SELECT count(*) FROM ${schema}.transcript`)).toBe(5_000);
    expect(await count(`SELECT size FROM ${schema}.blobs WHERE hash = '${hash}'`)).toBe(photo.length);

    // A second time the place is not empty any more.
    const again = await toDatabase();
    expect(again.code).toBe(2);
    expect(again.err).toContain(
      'has 5,000 rows that no move from here has brought. Nothing was moved. Name another schema',
    );
    expect(await toDatabase('--dry-run')).toMatchObject({ code: 1, out: expect.stringContaining('rows of its own') });

    await home.write('openclaw.json', JSON.stringify({ store: { url: server.url, schema } }));
    expect((await migrate('--to', 'sqlite')).err).toContain(`mv ${file()} ${file()}.before`);
    await rename(file(), `${file()}.before`);
    await rename(home.path('atrium/attachments'), home.path('atrium/attachments.before'));
    const back = await migrate('--to', 'sqlite', '--use');
    expect(back.code, back.err).toBe(0);
    expect(back.out).toContain('Took store.url out of');
    expect(JSON.parse(await readFile(home.path('openclaw.json'), 'utf8')).store.url).toBeUndefined();
    expect((await readFile(home.path(`atrium/attachments/${hash}`))).equals(photo)).toBe(true);
    const [old, now] = [await openSqliteStore({ file: `${file()}.before` }), await openSqliteStore({ file: file() })];
    const all = { orderBy: [['position', 'asc']] } as const;
    expect(await now.select('transcript', all)).toEqual(await old.select('transcript', all));
    await Promise.all([old.close(), now.close()]);
  });

  it('moves to a file of any name, and says what uses it', async () => {
    await fill(3);
    expect((await migrate('--to', 'copy.db', '--use')).err).toContain('no setting names another file');
    const { out, code } = await migrate('--to', 'copy.db');
    expect([code, out]).toEqual([0, expect.stringContaining(`A gateway uses the file when it is at ${file()}`)]);
    const store = await openSqliteStore({ file: join(home.home, 'copy.db') });
    expect(await store.count('transcript')).toBe(3);
    await store.close();
    expect(await readdir(join(home.home, 'attachments'))).toEqual([hash]);
  });

  it('never prints a password, and takes one from a variable', async () => {
    await fill(3);
    const withPassword = server.url.replace('atrium@', 'atrium:hunter2@');
    const printed = await migrate('--to', withPassword, '--schema', schema);
    expect(printed.code, printed.err).toBe(0);
    expect(`${printed.out}${printed.err}`).not.toContain('hunter2');
    expect(printed.out).toContain('atrium:${ATRIUM_DB_PASSWORD}@');
    expect(printed.out).toContain('The password is not shown');
    const named = server.url.replace('atrium@', 'atrium:${PW}@');
    const missing = await migrate('--to', named, '--schema', `${schema}_b`);
    expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('the variable PW is not set') });
    const given = { env: { PW: 'hunter2' } };
    const used = await home.run(['store', 'migrate', '--to', named, '--schema', `${schema}_b`, '--use'], given);
    expect(used.code, used.err).toBe(0);
    expect(await readFile(home.path('openclaw.json'), 'utf8')).toContain('atrium:${PW}@');
  });

  it('refuses while a gateway runs on either side, and names it', async () => {
    await fill(3);
    const lock = await acquireStateLock(home.stateDir);
    await lock.writeOwner({ pid: 4711, url: 'http://127.0.0.1:18789' });
    const here = await toDatabase();
    expect(here).toMatchObject({
      code: 2,
      err: expect.stringContaining('the gateway at http://127.0.0.1:18789 (process 4711)'),
    });
    await lock.release();
    // As a gateway does, which has not joined the others yet.
    const gateway = await openStore({ kind: 'postgres', url: server.url, schema }, { member: NO_MEMBER });
    const there = await toDatabase();
    expect(there.code).toBe(2);
    expect(there.err).toMatch(
      /in use by another process \(the connection "atrium commits" from this machine, since \d{4}-/,
    );
    await gateway.close();
    expect((await toDatabase()).code).toBe(0);
  });

  it('says what is wrong with its flags, with a place that is the same, and with a home that has no store', async () => {
    expect((await toDatabase()).err).toContain('there is none yet. Nothing has to be moved: set store.url');
    await fill(1);
    expect((await migrate()).err).toContain("required option '--to <place>'");
    expect((await migrate('--to', 'sqlite')).err).toMatch(/The store is at sqlite .*atrium.db already/);
    expect((await migrate('--to', 'mysql://x')).err).toContain('postgres://…, sqlite, or the path of a file');
    expect((await migrate('--to', 'sqlite', '--schema', 'x')).err).toContain(
      '--schema goes with an address of Postgres',
    );
    expect((await toDatabase('--dry-run', '--use')).err).toContain('do not go together');
    expect((await migrate('--to', server.url, '--schema', 'Bad-Name')).err).toContain('is no name of a schema');
    // A role that is not there is refused as a wrong password is.
    const refused = await migrate('--to', server.url.replace(/\/\/[^@/?]*@/, '//nobody:hunter2@'));
    expect(refused.err).toMatch(/^(?!.*hunter2)(?!.*store\.url).*Check the user and the password in its address\./);
    expect((await migrate('--to', 'postgres://u:hunter2@127.0.0.1:1/x')).err).toMatch(
      /^(?!.*hunter2).*cannot be reached/,
    );
  });

  it('goes on where it was killed, again and again, and doubles nothing', async () => {
    await fill(40_000);
    const moved = async () => count(`SELECT moved FROM ${schema}.store_move WHERE name = 'transcript'`).catch(() => 0);
    const start = () =>
      spawn(process.execPath, [COMMAND, 'store', 'migrate', '--to', server.url, '--schema', schema], {
        env: { PATH: process.env.PATH, HOME: home.home, TZ: 'UTC' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    let kills = 0;
    for (let before = 0; kills < 3; kills += 1) {
      const child = start();
      const ended = new Promise((resolve) => child.once('exit', resolve));
      let isOver = false;
      void ended.then(() => {
        isOver = true;
      });
      await expect.poll(async () => isOver || (await moved()) > before, { timeout: 60_000, interval: 5 }).toBe(true);
      expect(isOver, 'The move was over before it could be killed.').toBe(false);
      child.kill('SIGKILL');
      await ended;
      const now = await moved();
      expect(now).toBeGreaterThan(before);
      // What is noted and what is there is the same at every moment.
      const both = `SELECT moved - (SELECT count(*) FROM ${schema}.transcript) FROM ${schema}.store_move WHERE name = 'transcript'`;
      expect(await count(both)).toBe(0);
      before = now;
    }
    await expect(openStore({ kind: 'postgres', url: server.url, schema })).rejects.toThrow(/is not finished/);
    const last = start();
    let out = '';
    last.stdout.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
    const code = await new Promise((resolve) => last.once('close', resolve));
    expect([code, out]).toEqual([0, expect.stringContaining('Moved 40,000 rows and 1 file')]);
    const [store, old] = [
      await openStore({ kind: 'postgres', url: server.url, schema }),
      await openSqliteStore({ file: file() }),
    ];
    const all = { orderBy: [['position', 'asc']] } as const;
    expect(await store.select('transcript', all)).toEqual(await old.select('transcript', all));
    await Promise.all([store.close(), old.close()]);
  }, 120_000);
});

function entry(position: number): Write {
  return {
    insert: 'transcript',
    row: {
      sessionId: 'ses_1',
      position,
      runId: `run_${position}`,
      at: position,
      kind: 'message',
      message: { role: 'user', content: `Entry ${position} says something, as entries do.` },
      shown: null,
      meta: {},
    },
  };
}

const NO_MEMBER = { memberId: null, whileMember: () => new Promise<void>(() => undefined) };
