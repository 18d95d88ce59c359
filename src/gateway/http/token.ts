// The token that every request except health needs. It is the configured one, or else one that is created at the first
// start and kept in a private file, so that clients can still connect after a restart.

import { randomBytes } from 'node:crypto';
import { chmod, link, lstat, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { tokenFile } from '../../config/token-file.ts';
import { makeFolder } from '../../context/workspace/make-folder.ts';
import { StateDirError, TokenFileError, TokenUnresolvedError } from '../errors.ts';

export interface GatewayToken {
  readonly token: string;
  /** `config`, or the path of the token file. */
  readonly source: string;
  readonly warnings: readonly string[];
}

/** A shorter token could be guessed, and a truncated file must not become an easy password. */
const LEAST_FILE_TOKEN_LENGTH = 16;

export async function ensureToken(stateDir: string, configured?: string | undefined): Promise<GatewayToken> {
  if (configured !== undefined) return { token: checkConfigured(configured), source: 'config', warnings: [] };
  const file = tokenFile(stateDir);
  try {
    return (await readTokenFile(file)) ?? (await createTokenFile(file));
  } catch (error) {
    throw await blame(stateDir, error);
  }
}

/** Clients on the same machine use this. It is like `ensureToken`, but gives undefined instead of creating a token. */
export async function findToken(stateDir: string, configured?: string | undefined): Promise<string | undefined> {
  if (configured !== undefined) return checkConfigured(configured);
  const file = tokenFile(stateDir);
  try {
    return readToken(file, await readFile(file, 'utf8'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw await blame(stateDir, error);
  }
}

function checkConfigured(configured: string): string {
  const token = configured.trim();
  if (token === '') throw new TokenUnresolvedError({ problem: 'it is blank' });
  if (/^\$\{[^}]*\}$|^\$[A-Za-z_]\w*$/.test(token)) {
    throw new TokenUnresolvedError({ problem: `it is still the name of a variable, ${token}, which is not set` });
  }
  if (/[^\x21-\x7e]/.test(token)) {
    throw new TokenUnresolvedError({
      problem: 'it has characters that a header cannot carry; letters, digits and signs are fine',
    });
  }
  return token;
}

async function readTokenFile(file: string): Promise<GatewayToken | undefined> {
  const entry = await lstat(file).catch(ifMissing);
  if (entry === undefined) return undefined;
  if (!entry.isFile()) throw new TokenFileError({ file, problem: 'it is no regular file' });
  const token = readToken(file, await readFile(file, 'utf8'));
  if ((entry.mode & 0o077) === 0) return { token, source: file, warnings: [] };
  await chmod(file, 0o600);
  return {
    token,
    source: file,
    warnings: [
      `Other users of this machine could read ${file}. It is private now; remove it and restart for a new token.`,
    ],
  };
}

/**
 * The token is written to a temporary file and then moved into place, so that a crash cannot leave half a token behind.
 */
async function createTokenFile(file: string): Promise<GatewayToken> {
  await makeFolder(dirname(file), 0o700);
  const token = randomBytes(32).toString('base64url');
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${token}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(draft, file);
  } catch (error) {
    // Another process was faster; its token is used.
    const theirs = codeOf(error) === 'EEXIST' ? await readTokenFile(file) : undefined;
    if (theirs) return theirs;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return { token, source: file, warnings: [] };
}

function readToken(file: string, text: string): string {
  const token = text.trim();
  if (token.length < LEAST_FILE_TOKEN_LENGTH) throw new TokenFileError({ file, problem: 'it is empty or cut short' });
  if (/[^\x21-\x7e]/.test(token)) throw new TokenFileError({ file, problem: 'it holds more than one token' });
  return token;
}

function ifMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

/** A token file that can be seen is at fault itself; otherwise it is a directory above it. */
async function blame(stateDir: string, error: unknown): Promise<Error> {
  if (error instanceof TokenFileError) return error;
  const file = tokenFile(stateDir);
  const unseen = await lstat(file).then(() => undefined, codeOf);
  const problem = codeOf(error) ?? 'it failed';
  if (unseen === undefined) return new TokenFileError({ file, problem }, { cause: error });
  let at = stateDir;
  for (const dir of [stateDir, dirname(file)]) {
    const entry = await stat(dir).catch(() => undefined);
    if (entry) at = dir;
    if (entry?.isDirectory() === false)
      return new StateDirError({ dir: stateDir, problem: `${dir} is no directory` }, { cause: error });
  }
  const verb = unseen === 'ENOENT' ? 'written' : 'read';
  return new StateDirError({ dir: stateDir, problem: `${at} cannot be ${verb} (${problem})` }, { cause: error });
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code;
}
