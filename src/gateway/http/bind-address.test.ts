import { describe, expect, it } from 'vitest';
import { formatUrl, isLoopbackHost, resolveBindAddress } from './bind-address.ts';

describe('resolveBindAddress', () => {
  it.each([
    [undefined, '127.0.0.1'],
    ['loopback', '127.0.0.1'],
    ['localhost', '127.0.0.1'],
    ['auto', '127.0.0.1'],
    ['127.0.0.2', '127.0.0.2'],
    ['[::1]', '::1'],
  ])('listens for %s on %s, with or without a token', (bind, address) => {
    expect(resolveBindAddress(bind, undefined)).toBe(address);
    expect(resolveBindAddress(bind, 'token')).toBe(address);
  });

  it.each([
    ['lan', '0.0.0.0'],
    ['0.0.0.0', '0.0.0.0'],
    ['::', '::'],
    ['192.168.1.5', '192.168.1.5'],
  ])('listens for %s only with a token', (bind, address) => {
    expect(resolveBindAddress(bind, 'token')).toBe(address);
    expect(() => resolveBindAddress(bind, undefined)).toThrow(/without a token/);
  });

  it('refuses what is no address, and says what would be', () => {
    expect(() => resolveBindAddress('tailnet', 'token')).toThrow(/"loopback", "lan" or an IP address/);
  });
});

describe('isLoopbackHost', () => {
  it('knows the names and addresses of this machine, and no lookalikes', () => {
    for (const host of [
      'localhost',
      'LOCALHOST',
      '127.0.0.1',
      '127.9.9.9',
      '[::1]',
      '::ffff:127.0.0.1',
      'a.localhost',
    ]) {
      expect(isLoopbackHost(host), host).toBe(true);
    }
    for (const host of [
      '0.0.0.0',
      '192.168.0.1',
      'localhost.example.org',
      '127.0.0.1.example.org',
      '127.example.org',
      '',
    ]) {
      expect(isLoopbackHost(host), host).toBe(false);
    }
  });
});

describe('formatUrl', () => {
  it('is something that can be opened', () => {
    expect(formatUrl('127.0.0.1', 1)).toBe('http://127.0.0.1:1');
    expect(formatUrl('0.0.0.0', 2)).toBe('http://127.0.0.1:2');
    expect(formatUrl('::', 3)).toBe('http://[::1]:3');
  });
});
