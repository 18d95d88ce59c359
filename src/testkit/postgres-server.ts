// A Postgres server for tests: the real program, in a scratch folder, reachable through a socket in that folder only, and
// started as a user that is not root. One server serves all tests of a process; each test has a schema of its own.
// Where the program is not installed, `findPostgres` says so, and the tests that need it name that as their reason.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface PostgresServer {
  /** The address of its database. */
  readonly url: string;
  /** The path of the socket that it listens on. */
  readonly socket: string;
  /** Ends it at once, as a power cut would end the process, and starts it again with the same data. */
  restart(): Promise<void>;
  /** Ends it; its clients lose their connections. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Ends it and removes its data. */
  destroy(): Promise<void>;
}

const PROGRAMS = '/usr/lib/postgresql';
const READY_MS = 60_000;

/** The folder of the newest installed version; undefined when there is none. */
export async function findPostgres(): Promise<string | undefined> {
  const versions = await readdir(PROGRAMS).catch(() => []);
  const newest = versions.sort((a, b) => Number(a) - Number(b)).at(-1);
  return newest === undefined ? undefined : join(PROGRAMS, newest, 'bin');
}

export interface PostgresSettings {
  /** Without syncs the server is quicker, and loses its last commits when the machine stops. Default true. */
  readonly syncs?: boolean | undefined;
  /** Also listens on this port of the loopback interface, with TLS. The texts are PEM. */
  readonly tls?: { readonly port: number; readonly key: string; readonly certificate: string } | undefined;
}

export async function startPostgres(
  programs: string,
  { syncs = true, tls }: PostgresSettings = {},
): Promise<PostgresServer> {
  const dir = await mkdtemp(join(tmpdir(), 'atrium-postgres-'));
  const data = join(dir, 'data');
  const user = await unprivilegedUser();
  if (user) await chown(dir, user.uid, user.gid);
  await run(join(programs, 'initdb'), ['-D', data, '-U', 'atrium', '-A', 'trust', '-E', 'UTF8', '--no-locale', '-N'], {
    ...user,
    cwd: dir,
  });
  const socket = encodeURIComponent(dir);
  let server: ChildProcess | undefined;
  const port = tls?.port ?? 5432;
  const url = `postgres://atrium@/postgres?host=${socket}${tls ? `&port=${port}` : ''}`;

  const files = { key: join(dir, 'server.key'), certificate: join(dir, 'server.pem') };
  if (tls) {
    for (const name of ['key', 'certificate'] as const) {
      await writeFile(files[name], tls[name], { mode: 0o600 });
      if (user) await chown(files[name], user.uid, user.gid);
    }
  }

  const start = async () => {
    const settings = [
      ...(tls
        ? [
            'listen_addresses=127.0.0.1',
            `port=${tls.port}`,
            'ssl=on',
            `ssl_key_file=${files.key}`,
            `ssl_cert_file=${files.certificate}`,
          ]
        : ['listen_addresses=']),
      `unix_socket_directories=${dir}`,
      'max_connections=200',
      'shared_buffers=32MB',
      `fsync=${syncs ? 'on' : 'off'}`,
    ];
    server = spawn(join(programs, 'postgres'), ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
      ...user,
      cwd: dir,
      stdio: 'ignore',
    });
    const deadline = Date.now() + READY_MS;
    while (!(await isReady(programs, dir, port))) {
      if (server.exitCode !== null || Date.now() > deadline) throw new Error('The Postgres server did not start.');
      await sleep(50);
    }
  };
  const end = async (signal: NodeJS.Signals) => {
    const ending = server;
    server = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = new Promise((resolve) => ending.once('exit', resolve));
    ending.kill(signal);
    await ended;
  };
  await start();
  return {
    url,
    socket: join(dir, `.s.PGSQL.${port}`),
    start,
    // This ends the server without a last checkpoint, so that the next start has to recover.
    stop: () => end('SIGQUIT'),
    restart: async () => {
      await end('SIGQUIT');
      await start();
    },
    destroy: async () => {
      await end('SIGINT');
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function isReady(programs: string, dir: string, port: number): Promise<boolean> {
  return run(join(programs, 'pg_isready'), ['-h', dir, '-p', String(port), '-U', 'atrium']).then(
    () => true,
    () => false,
  );
}

/** Postgres refuses to run as root. The package of the system makes a user for it. */
async function unprivilegedUser(): Promise<{ readonly uid: number; readonly gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
  return { uid: await idOf('-u'), gid: await idOf('-g') };
}
