import { chmod, readdir, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { createAsyncLock, createDedupeCache, KeyedAsyncQueue, retryAsync, sleep, withTimeout } from './async-work.ts';
import { fetchWithSsrFGuard, isBlockedHostnameOrIp, isPrivateIpAddress, SsrFBlockedError } from './guarded-fetch.ts';
import { loadJsonFile, readJsonFileWithFallback, saveJsonFile, writeJsonFileAtomically } from './json-files.ts';
import { runCommandWithTimeout, runExec, runPluginCommandWithTimeout } from './run-command.ts';

describe('running a program for a plugin', () => {
  const node = process.execPath;

  it('gives what it said and how it ended', async () => {
    const script = `process.stdin.on('data', (d) => { console.log(String(d) + process.env.WORD + typeof process.env.PATH); console.error('e'); process.exitCode = 3; });`;
    const result = await runCommandWithTimeout([node, '-e', script], {
      timeoutMs: 10_000,
      input: 'in-',
      env: { WORD: 'word-' },
    });
    expect(result).toMatchObject({
      stdout: 'in-word-string\n',
      stderr: 'e\n',
      code: 3,
      termination: 'exit',
      killed: false,
    });
  });

  it('ends what takes too long, is silent for too long, or is not wanted any more', async () => {
    const forever = [node, '-e', 'setInterval(() => {}, 1000)'];
    expect(await runCommandWithTimeout(forever, 50)).toMatchObject({
      termination: 'timeout',
      code: null,
      killed: true,
    });
    expect(await runCommandWithTimeout(forever, { timeoutMs: 10_000, noOutputTimeoutMs: 50 })).toMatchObject({
      noOutputTimedOut: true,
    });
    expect(await runCommandWithTimeout(forever, { timeoutMs: 10_000, signal: AbortSignal.abort() })).toMatchObject({
      termination: 'signal',
    });
  });

  it('fails as the caller wants it', async () => {
    await expect(runCommandWithTimeout(['/no/such/program'], 1_000)).rejects.toThrow('ENOENT');
    expect(await runPluginCommandWithTimeout({ argv: ['/no/such/program'], timeoutMs: 1_000 })).toMatchObject({
      code: 1,
    });
    expect(await runPluginCommandWithTimeout({ argv: [], timeoutMs: 1_000 })).toMatchObject({
      code: 1,
      stderr: expect.any(String),
    });
    await expect(runExec(node, ['-e', 'process.exit(2)'])).rejects.toMatchObject({ code: 2 });
  });
});

describe('work that takes time', () => {
  it('is done one at a time where the key is the same', async () => {
    const queue = new KeyedAsyncQueue();
    const log: string[] = [];
    const task = (name: string) => async () => {
      log.push(`${name} begins`);
      await sleep(1);
      log.push(`${name} ends`);
    };
    const failing = queue.enqueue('a', async () => Promise.reject(new Error('no')));
    await Promise.all([queue.enqueue('a', task('1')), queue.enqueue('a', task('2')), failing.catch(() => undefined)]);
    expect(log).toEqual(['1 begins', '1 ends', '2 begins', '2 ends']);
    const lock = createAsyncLock();
    expect(await Promise.all([lock(async () => 1), lock(async () => 2)])).toEqual([1, 2]);
  });

  it('is tried again, and given up', async () => {
    let tries = 0;
    const fail = async () => Promise.reject(new Error(String(++tries)));
    await expect(retryAsync(fail, { attempts: 3, minDelayMs: 1 })).rejects.toThrow('3');
    await expect(retryAsync(fail, { attempts: 9, minDelayMs: 1, shouldRetry: () => false })).rejects.toThrow('4');
    await expect(withTimeout(new Promise(() => undefined), 5, 'It')).rejects.toThrow('It did not end within 5 ms.');
  });

  it('is not done twice', () => {
    const seen = createDedupeCache({ ttlMs: 10, maxSize: 2 });
    expect([seen.check('a', 0), seen.check('a', 5), seen.peek('a', 20), seen.check(null)]).toEqual([
      false,
      true,
      false,
      false,
    ]);
    seen.check('b', 6);
    seen.check('c', 7);
    expect([seen.size(), seen.peek('a', 7)]).toEqual([2, false]);
  });
});

describe('small files', () => {
  let root: string;
  beforeEach(async () => {
    root = await folderForTest();
  });

  it('are written privately and as a whole, and read without fuss', async () => {
    const path = join(root, 'deep', 'file.json');
    expect([loadJsonFile(path), await readJsonFileWithFallback(path, 1)]).toEqual([
      undefined,
      { value: 1, exists: false },
    ]);
    saveJsonFile(path, { a: 1 });
    await writeJsonFileAtomically(path, { a: 2 });
    expect([loadJsonFile(path), await readJsonFileWithFallback(path, 1)]).toEqual([
      { a: 2 },
      { value: { a: 2 }, exists: true },
    ]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(root, 'deep'))).toEqual(['file.json']);
    await chmod(path, 0o600);
  });
});

describe('fetching an address from outside', () => {
  let server: Server;
  let base: string;
  const heard: { url: string | undefined; authorization: string | undefined; method: string | undefined }[] = [];
  beforeEach(async () => {
    heard.length = 0;
    server = createServer((request, response) => {
      heard.push({ url: request.url, authorization: request.headers.authorization, method: request.method });
      if (request.url === '/to-private') return response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
      if (request.url === '/to-name')
        return response.writeHead(302, { location: base.replace('127.0.0.1', 'localhost') }).end();
      if (request.url === '/loop') return response.writeHead(302, { location: '/loop' }).end();
      if (request.url === '/hang') return undefined;
      response.setHeader('x-seen', 'yes');
      request.pipe(response);
      return undefined;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('refuses what leads into a private network, by number or by name', async () => {
    for (const url of [
      base,
      base.replace('127.0.0.1', 'localhost'),
      'http://[::1]/',
      'http://10.1.2.3/',
      'file:///etc/passwd',
      'http://2130706433/',
    ]) {
      await expect(fetchWithSsrFGuard({ url }), url).rejects.toThrow(SsrFBlockedError);
    }
    expect(heard).toEqual([]);
    expect(
      ['::ffff:127.0.0.1', '::ffff:7f00:1', 'fd00::1', '100.64.0.1', '0.0.0.0', '64:ff9b::7f00:1'].every(
        isPrivateIpAddress,
      ),
    ).toBe(true);
    expect(['1.1.1.1', '::ffff:1.1.1.1', '2606:4700::1111'].some(isPrivateIpAddress)).toBe(false);
    expect([isBlockedHostnameOrIp('printer.local'), isBlockedHostnameOrIp('example.com')]).toEqual([true, false]);
  });

  it('refuses it also behind a redirect, and tells nobody else who is asking', async () => {
    const policy = { allowedHostnames: ['127.0.0.1'] };
    await expect(fetchWithSsrFGuard({ url: `${base}/to-private`, policy })).rejects.toThrow('private');
    await expect(fetchWithSsrFGuard({ url: `${base}/loop`, policy })).rejects.toThrow('redirects');
    const init = { headers: { authorization: 'secret' } };
    const open = { allowPrivateNetwork: true };
    const { response, release, finalUrl } = await fetchWithSsrFGuard({ url: `${base}/to-name`, init, policy: open });
    await response.text();
    await release();
    expect(finalUrl).toContain('localhost');
    expect(heard.slice(-2).map(({ authorization }) => authorization)).toEqual(['secret', undefined]);
  });

  it('gives an ordinary response', async () => {
    const asked = { url: base, policy: { allowPrivateNetwork: true }, init: { method: 'POST', body: 'hello' } };
    const { response, release } = await fetchWithSsrFGuard(asked);
    expect([response.status, response.headers.get('x-seen'), await response.text()]).toEqual([200, 'yes', 'hello']);
    await release();
  });

  it('ends when its time is over or nobody wants it any more', async () => {
    const policy = { allowPrivateNetwork: true };
    await expect(fetchWithSsrFGuard({ url: `${base}/hang`, policy, timeoutMs: 50 })).rejects.toThrow('within 50 ms');
    await expect(
      fetchWithSsrFGuard({ url: base, policy, signal: AbortSignal.abort(new Error('enough')) }),
    ).rejects.toThrow('enough');
    await expect(
      fetchWithSsrFGuard({ url: 'https://example.com', policy: { hostnameAllowlist: ['*.example.org'] } }),
    ).rejects.toThrow('not among');
  });
});
