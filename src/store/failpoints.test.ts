import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderForTest } from '../testkit/folder-for-test.ts';
import type { CommitSite } from './commit-sites.ts';
import { InvalidFailpointError } from './errors.ts';
import { type Failpoint, parseFailpoint, withFailpoints } from './failpoints.ts';
import { openSqliteStore } from './sqlite/open-sqlite-store.ts';
import type { Store } from './store.ts';

describe('a failpoint', () => {
  it.each<[string, Failpoint]>([
    ['request:before', { site: 'request', when: 'before', hit: 1 }],
    ['request:power', { site: 'request', when: 'power', hit: 1 }],
    ['tool-result:after@2', { site: 'tool-result', when: 'after', hit: 2 }],
    [' dead-letter-answer:after@10 ', { site: 'dead-letter-answer', when: 'after', hit: 10 }],
  ])('is read from %s', (text, point) => {
    expect(parseFailpoint(text)).toEqual(point);
  });

  it.each([
    '',
    'request',
    'request:during',
    'request:before@0',
    'request:before@x',
    'request:before@1@2',
    'before',
  ])('is not read from "%s"', (text) => {
    expect(() => parseFailpoint(text)).toThrow(InvalidFailpointError);
  });

  it('must name a site that exists', () => {
    expect(() => parseFailpoint('lunch:before')).toThrow(/no commit site "lunch".*request:before/);
  });
});

describe('a store with failpoints', () => {
  let dir: string;
  let store: Store;
  beforeEach(async () => {
    dir = await folderForTest();
    store = await openSqliteStore({ file: join(dir, 'store.db') });
  });
  afterEach(() => store.close());

  class Killed extends Error {}
  const kill = (): never => {
    throw new Killed();
  };
  const death = { kill, cutPower: kill, synced: () => {} };
  const put = (target: Store, hash: string, site: CommitSite) =>
    target.commit([{ insert: 'parts', row: { hash, text: '', size: 0, usedAt: 0 } }], { site });

  it('dies before the commit is asked for', async () => {
    const failing = withFailpoints(store, [parseFailpoint('request:before')], death);
    await put(failing, 'other', 'accept');
    await expect(put(failing, 'lost', 'request')).rejects.toThrow(Killed);
    expect(await failing.select('parts')).toMatchObject([{ hash: 'other' }]);
    expect(failing.commits).toMatchObject({ accept: 1, request: 0 });
  });

  it('dies when the commit is durable and its caller does not know yet', async () => {
    const failing = withFailpoints(store, [parseFailpoint('request:after')], death);
    await expect(put(failing, 'kept', 'request')).rejects.toThrow(Killed);
    expect(await store.count('parts')).toBe(1);
  });

  it('says what was safe when the power was cut', async () => {
    const told: string[] = [];
    const failing = withFailpoints(store, [parseFailpoint('request:power')], {
      kill,
      synced: () => told.push('synced'),
      cutPower: () => told.push('cut'),
    });
    await put(failing, 'safe', 'accept');
    const row = { hash: 'unsafe', text: '', size: 0, usedAt: 0 };
    await failing.commit([{ insert: 'parts', row }], { site: 'request', lazy: true });
    expect(told).toEqual(['synced', 'cut']);
  });

  it('counts the commits of the site, and only those', async () => {
    const failing = withFailpoints(store, [parseFailpoint('request:before@2')], death);
    const outcomes = await Promise.allSettled([
      put(failing, 'a', 'request'),
      put(failing, 'b', 'result'),
      put(failing, 'c', 'request'),
      put(failing, 'd', 'request'),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await failing.count('parts')).toBe(3);
  });

  it('does not die after a commit that was refused', async () => {
    const failing = withFailpoints(store, [parseFailpoint('request:after@2')], death);
    await put(failing, 'a', 'request');
    await expect(put(failing, 'a', 'request')).rejects.toMatchObject({ code: 'ATRIUM_STORE_PRECONDITION' });
  });

  it('is the same store otherwise', async () => {
    const failing = withFailpoints(store, [], death);
    expect(failing.description).toBe(store.description);
    await failing.close();
    await expect(store.count('parts')).rejects.toMatchObject({ code: 'ATRIUM_STORE_CLOSED' });
  });
});
