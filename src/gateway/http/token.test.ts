import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureToken, findToken, tokenFile } from './token.ts';

let stateDir: string;
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'atrium-token-'));
});
afterEach(() => rm(stateDir, { recursive: true, force: true }));

describe('ensureToken', () => {
  it('makes a private token at the first start and keeps it', async () => {
    const first = await ensureToken(stateDir);
    expect(first.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(first.source).toBe(tokenFile(stateDir));
    expect((await stat(tokenFile(stateDir))).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(tokenFile(stateDir)))).mode & 0o077).toBe(0);
    expect(await ensureToken(stateDir)).toEqual(first);
    expect(await readFile(tokenFile(stateDir), 'utf8')).toBe(`${first.token}\n`);
  });

  it('gives all the same one when several start at once', async () => {
    const tokens = await Promise.all(Array.from({ length: 8 }, () => ensureToken(stateDir)));
    const made = new Set(tokens.map((each) => each.token));
    expect(made.size).toBe(1);
  });

  it('prefers the configured one, and writes nothing then', async () => {
    expect(await ensureToken(stateDir, ' secret ')).toEqual({ token: 'secret', source: 'config', warnings: [] });
    await expect(stat(tokenFile(stateDir))).rejects.toThrow();
  });

  it.each([
    ['', /blank/],
    ['   ', /blank/],
    ['\x24{ATRIUM_TOKEN}', /ATRIUM_TOKEN/],
    ['$TOKEN', /TOKEN/],
    ['a b', /header/],
  ])('refuses %j as a configured token', async (configured, why) => {
    await expect(ensureToken(stateDir, configured)).rejects.toThrow(why);
  });

  it('tightens a file that others could read, and says so', async () => {
    const { token } = await ensureToken(stateDir);
    await chmod(tokenFile(stateDir), 0o644);
    const again = await ensureToken(stateDir);
    expect(again.token).toBe(token);
    expect(again.warnings.join()).toContain('private now');
    expect((await stat(tokenFile(stateDir))).mode & 0o777).toBe(0o600);
  });

  it('believes neither a file that was cut short nor a link', async () => {
    await mkdir(dirname(tokenFile(stateDir)), { recursive: true });
    await writeFile(tokenFile(stateDir), 'abc', { mode: 0o600 });
    await expect(ensureToken(stateDir)).rejects.toThrow(/empty or cut short/);
    await rm(tokenFile(stateDir));
    await symlink('/etc/hostname', tokenFile(stateDir));
    await expect(ensureToken(stateDir)).rejects.toThrow(/no regular file/);
  });
});

describe('findToken', () => {
  it('finds what there is and makes nothing', async () => {
    expect(await findToken(stateDir)).toBeUndefined();
    const { token } = await ensureToken(stateDir);
    expect(await findToken(stateDir)).toBe(token);
    expect(await findToken(stateDir, 'configured')).toBe('configured');
  });
});
