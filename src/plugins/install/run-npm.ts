// Runs npm as a program of its own, with no script of any package, no question and no more of the operator's variables
// than npm needs: paths, proxies, certificates, and npm's own settings. Knows nothing of what is installed.
//
// Errors: NpmMissingError, NpmFailedError with the lines in which npm says what went wrong.

import { spawn } from 'node:child_process';
import { NpmFailedError, NpmMissingError } from '../errors.ts';

export interface NpmEnvironment {
  readonly variables: Readonly<Record<string, string | undefined>>;
}

export interface NpmRequest extends NpmEnvironment {
  readonly args: readonly string[];
  /** A folder with a package.json of ours, so that npm takes no settings from a package. */
  readonly cwd: string;
  /** Behind "npm could not", for the message. */
  readonly task: string;
}

const ALWAYS = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
const PATIENCE_MS = 10 * 60_000;
const LONGEST_OUTPUT = 4 * 1024 * 1024;
const MOST_ERROR_LINES = 8;

/** What it printed. */
export async function runNpm({ args, cwd, task, variables }: NpmRequest): Promise<string> {
  const child = spawn('npm', [...args, ...ALWAYS], {
    cwd,
    env: variablesForNpm(variables),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (out.length < LONGEST_OUTPUT) out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (err.length < LONGEST_OUTPUT) err += text;
  });
  const { code, signal } = await new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'ENOENT' ? new NpmMissingError({ cause: error }) : error);
    });
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  if (code === 0) return out;
  throw new NpmFailedError({ task, detail: signal === null ? complaintIn(err, code) : `it was stopped (${signal}).` });
}

const NEEDED: ReadonlySet<string> = new Set(
  [
    ...['PATH', 'PATHEXT', 'HOME', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'SYSTEMROOT', 'COMSPEC'],
    ...['TMPDIR', 'TEMP', 'TMP', 'LANG', 'LC_ALL', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME'],
    ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
    // The two names by which people keep the key to a private registry out of their .npmrc.
    ...['NPM_TOKEN', 'NODE_AUTH_TOKEN'],
  ].map((name) => name.toLowerCase()),
);

/** Settings with which npm would start another program are not passed on. */
const REFUSED_SETTINGS = /^npm_config_(?:script[-_]shell|node[-_]options|git|ignore[-_]scripts|before|prefix)$/i;

function variablesForNpm(variables: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const isWanted = (name: string) =>
    NEEDED.has(name.toLowerCase()) || (/^npm_config_/i.test(name) && !REFUSED_SETTINGS.test(name));
  const wanted = Object.entries(variables).flatMap(([name, value]) =>
    value !== undefined && isWanted(name) ? [[name, value] as const] : [],
  );
  return Object.fromEntries(wanted);
}

/** The codes with which npm says that it reached no server. */
const UNREACHABLE = /^code (E(?:NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|HOSTUNREACH))$/m;

function complaintIn(err: string, code: number | null): string {
  const lines = err
    .split('\n')
    .map((line) => line.replace(/^npm (?:error|ERR!)\s*/, '').trim())
    .filter((line) => line !== '' && !/A complete log of this run|^npm warn/i.test(line));
  const [, reason] = UNREACHABLE.exec(lines.join('\n')) ?? [];
  if (reason !== undefined)
    return `its registry cannot be reached (${reason}). Is this machine online, and is the proxy of npm right?`;
  if (/^code E404$/m.test(lines.join('\n'))) return 'its registry has no such package or version (E404).';
  return lines.length === 0 ? `it ended with code ${code}.` : lines.slice(0, MOST_ERROR_LINES).join('\n  ');
}
