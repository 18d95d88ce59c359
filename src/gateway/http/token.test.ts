import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { tokenFile } from '../../config/token-file.ts';
import { ensureToken, findToken } from './token.ts';
import { refuseGatewayToken } from './token-guard.ts';

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

  it('names a state directory that is no directory, and not the token file', async () => {
    const plain = join(stateDir, 'plain');
    await writeFile(plain, '');
    await expect(ensureToken(plain)).rejects.toThrow(
      `The state directory ${plain} cannot be used: ${plain} is no directory. Make it a directory`,
    );
    await writeFile(join(stateDir, 'atrium'), '');
    await expect(ensureToken(stateDir)).rejects.toThrow(`${join(stateDir, 'atrium')} is no directory`);
  });

  it('names a directory that cannot be written or read, and not the token file', async () => {
    await becomeOrdinaryUser();
    await chmod(stateDir, 0o555);
    await expect(ensureToken(stateDir)).rejects.toThrow(
      `The state directory ${stateDir} cannot be used: ${stateDir} cannot be written (EACCES). Make it a directory`,
    );
    await chmod(stateDir, 0o755);
    await mkdir(join(stateDir, 'atrium'), { mode: 0o555 });
    await expect(ensureToken(stateDir)).rejects.toThrow(`${join(stateDir, 'atrium')} cannot be written (EACCES)`);
    await chmod(stateDir, 0o000);
    for (const read of [ensureToken, findToken])
      await expect(read(stateDir)).rejects.toThrow(`${stateDir} cannot be read (EACCES)`);
    await chmod(stateDir, 0o755);
  });

  it('names the token file where that one cannot be read', async () => {
    await ensureToken(stateDir);
    await becomeOrdinaryUser();
    await chmod(tokenFile(stateDir), 0o000);
    for (const read of [ensureToken, findToken])
      await expect(read(stateDir)).rejects.toThrow(`The token file ${tokenFile(stateDir)} cannot be used: EACCES`);
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

/** The superuser may write everywhere, so a test that runs as one goes on as somebody else, who owns the files. */
async function becomeOrdinaryUser(): Promise<void> {
  if (process.getuid?.() !== 0) return;
  for (const path of [stateDir, dirname(tokenFile(stateDir)), tokenFile(stateDir)])
    await chown(path, ORDINARY_USER, -1).catch(() => undefined);
  process.seteuid?.(ORDINARY_USER);
  onTestFinished(() => process.seteuid?.(0));
}

const ORDINARY_USER = 65_534;

it('a wrong token is answered with the place of the right one', () => {
  const say = (isConfigured: boolean) => refuseGatewayToken(isConfigured)('wrong').message;
  expect(say(true)).toContain('what gateway.auth.token, or OPENCLAW_GATEWAY_TOKEN, was when it was started');
  expect(say(true)).not.toContain('atrium/token');
  expect(say(false)).toContain('in the file atrium/token');
});
