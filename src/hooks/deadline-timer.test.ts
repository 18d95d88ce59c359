import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { DeadlineTimer } from './deadline-timer.ts';

function waiting(name: string, inMs: number, expired: string[], from = performance.now()) {
  return { dueAt: from + inMs, expire: () => void expired.push(name) };
}

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

it('ends every deadline in the order of its time, not in the order of registration', async () => {
  const timer = new DeadlineTimer();
  const expired: string[] = [];
  const from = performance.now();
  timer.add(waiting('late', 40, expired, from));
  timer.add(waiting('early', 5, expired, from));
  timer.add(waiting('middle', 20, expired, from));
  await vi.waitFor(() => expect(expired).toEqual(['early', 'middle', 'late']));
});

it('keeps that order also when the process was busy until all of them were over', async () => {
  const timer = new DeadlineTimer();
  const expired: string[] = [];
  const from = performance.now();
  timer.add(waiting('late', 3, expired, from));
  timer.add(waiting('early', 1, expired, from));
  timer.add(waiting('middle', 2, expired, from));
  while (performance.now() < from + 10);
  await vi.waitFor(() => expect(expired).toEqual(['early', 'middle', 'late']));
});

it('leaves those alone who are done, and keeps no process alive for them', async () => {
  const timer = new DeadlineTimer();
  const expired: string[] = [];
  const before = timers();
  const done = waiting('done', 5, expired);
  timer.add(done);
  expect(timers()).toBe(before + 1);
  timer.remove(done);
  expect(timers()).toBe(before);
  await sleep(15);
  expect(expired).toEqual([]);
});

it('serves who comes after a pause, and one who is later than it was set to', async () => {
  const timer = new DeadlineTimer();
  const expired: string[] = [];
  const first = waiting('first', 10, expired);
  timer.add(first);
  timer.remove(first);
  timer.add(waiting('second', 20, expired));
  await vi.waitFor(() => expect(expired).toEqual(['second']));
  timer.add(waiting('third', 1, expired));
  await vi.waitFor(() => expect(expired).toEqual(['second', 'third']));
});

it('takes a time that is over, and one that never is', async () => {
  const timer = new DeadlineTimer();
  const expired: string[] = [];
  timer.add({ dueAt: Number.POSITIVE_INFINITY, expire: () => void expired.push('never') });
  timer.add(waiting('over', -5, expired));
  await vi.waitFor(() => expect(expired).toEqual(['over']));
});
