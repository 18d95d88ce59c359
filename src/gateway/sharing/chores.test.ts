import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { MemoryCluster } from '../../cluster/fixtures/memory-cluster.ts';
import { Chores } from './chores.ts';

it('are done by one node, at once, from time to time and when a node is gone; another one goes on when that one is', async () => {
  const cluster = new MemoryCluster();
  const done: string[] = [];
  const warnings: string[] = [];
  const nodes = ['a', 'b', 'c'].map((name) => {
    const node = cluster.add(name);
    const chores = new Chores({ cluster: node, warn: (sentence) => warnings.push(sentence) });
    const work = async () => {
      done.push(name);
      if (name === 'b') throw new Error('no luck');
    };
    chores.open([
      { trouble: 'It was not done', everyMs: 60_000, work },
      { trouble: 'It was not done', everyMs: 5, work: async () => void done.push(`${name} again`) },
    ]);
    return { node, chores };
  });
  const [a, b, c] = nodes as [(typeof nodes)[0], (typeof nodes)[0], (typeof nodes)[0]];
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await sleep(2);
  };
  await until(() => done.filter((each) => each === 'a again').length >= 3);
  expect(done.filter((each) => each === 'a')).toHaveLength(1);
  expect([a.chores.isMine(), b.chores.isMine()]).toEqual([true, false]);
  await cluster.expel(c.node);
  await until(() => done.filter((each) => each === 'a').length === 2);
  await cluster.expel(a.node);
  await until(() => done.includes('b'));
  expect([a.chores.isMine(), b.chores.isMine()]).toEqual([false, true]);
  await until(() => warnings.length > 0);
  expect(warnings).toEqual(['It was not done: no luck']);
  await b.chores.close();
  const before = done.length;
  await sleep(20);
  expect(done.length).toBe(before);
});
