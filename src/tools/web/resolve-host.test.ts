import { describe, expect, it } from 'vitest';
import { WebAddressError, WebFetchError } from '../errors.ts';
import { type HostRules, resolveHost } from './resolve-host.ts';

const { signal } = new AbortController();

function resolve(url: string, rules: Partial<HostRules> = {}) {
  const defaults = { resolveName: async () => [], allowHosts: [], ownAddresses: () => [] };
  return resolveHost(new URL(url), { ...defaults, ...rules }, signal);
}

describe('a host', () => {
  it('has the addresses that its name has, all of them', async () => {
    const resolveName = async () => ['93.184.215.14', '2606:4700::1111'];
    expect(await resolve('http://a.example/', { resolveName })).toEqual([
      { address: '93.184.215.14', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
    expect(await resolve('https://93.184.215.14/')).toEqual([{ address: '93.184.215.14', family: 4 }]);
    expect(await resolve('https://[2606:4700::1111]/')).toEqual([{ address: '2606:4700::1111', family: 6 }]);
  });

  it('is refused when one address is private, this machine itself, or no address', async () => {
    for (const trap of ['10.0.0.1', 'fd00::1', '93.184.215.15', 'nonsense', 'fe80::1%eth0']) {
      const resolveName = async () => ['93.184.215.14', trap];
      const ownAddresses = () => ['93.184.215.15'];
      await expect(resolve('http://a.example/', { resolveName, ownAddresses }), trap).rejects.toThrow(WebAddressError);
    }
    await expect(resolve('http://93.184.215.15/', { ownAddresses: () => ['93.184.215.15'] })).rejects.toThrow(
      WebAddressError,
    );
  });

  it('is not known when its name has no address', async () => {
    await expect(resolve('http://a.example/')).rejects.toThrow(WebFetchError);
  });

  it.each([
    ['http://[::1]/', '::1'],
    ['http://[::1]:81/', '[::1]:81'],
    ['http://[0:0::1]:81/', '[::1]'],
    ['https://10.0.0.1/', '10.0.0.1:443'],
    ['http://10.0.0.1/', '10.0.0.1:80'],
    ['http://167772161/', '10.0.0.1'],
  ])('%s is allowed as %s', async (url, entry) => {
    expect(await resolve(url, { allowHosts: [entry] })).toHaveLength(1);
  });

  it.each([
    ['http://[::1]:82/', '[::1]:81'],
    ['http://10.0.0.1/', '10.0.0.1:443'],
    ['https://10.0.0.1/', '10.0.0.1:80'],
  ])('%s is not allowed as %s', async (url, entry) => {
    await expect(resolve(url, { allowHosts: [entry] })).rejects.toThrow(WebAddressError);
  });
});
