import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { LiveEvent } from '../../protocol/live-event.ts';
import type { PulseSample } from '../../protocol/pulse-sample.ts';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { MOST_PULSE_SAMPLES, Pulse } from './pulse.ts';

const ENDED = { type: 'run-end', runId: 'r', sessionKey: 'k', at: 0, status: 'done' } as LiveEvent;

it('samples turns a second, memory and the size of the store, and hands each sample on', async () => {
  const file = join(await folderForTest(), 'store.db');
  await writeFile(file, 'x'.repeat(100));
  let now = 1_000;
  const handed: PulseSample[] = [];
  const pulse = new Pulse({
    files: [file, `${file}-wal`],
    running: () => 2,
    now: () => now,
    memory: () => 7,
    sampled: (sample) => handed.push(sample),
  });
  await pulse.sample();
  for (let count = 0; count < 10; count++) pulse.watch(ENDED);
  now += 5_000;
  await pulse.sample();
  expect(pulse.samples).toEqual([
    { at: 1_000, turnsPerSecond: 0, running: 2, memoryBytes: 7, storeBytes: 100 },
    { at: 6_000, turnsPerSecond: 2, running: 2, memoryBytes: 7, storeBytes: 100 },
  ]);
  expect(handed).toEqual(pulse.samples);
});

it('keeps no more than an hour', async () => {
  let now = 0;
  const pulse = new Pulse({ files: [], running: () => 0, now: () => ++now, memory: () => 0, sampled: () => {} });
  for (let count = 0; count < MOST_PULSE_SAMPLES + 5; count++) await pulse.sample();
  expect(pulse.samples).toHaveLength(MOST_PULSE_SAMPLES);
  expect(pulse.samples.at(-1)?.at).toBe(now);
});
