import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LiveEvent } from '../protocol/live-event.ts';
import { TestChannel } from '../testkit/test-channel.ts';
import { TypingSigns } from './typing-signs.ts';

const NO_PORT = () => Promise.reject(new Error('no listener'));
const base = { sessionKey: 'agent:main:main', runId: 'run_1', at: 0 };
const start: LiveEvent = { ...base, type: 'run-start', attempt: 1, agentId: 'main', sessionId: 'ses_1' };
const END: LiveEvent = { ...base, type: 'run-end', status: 'done' };
let channel: TestChannel;
let signs: TypingSigns;

beforeEach(async () => {
  vi.useFakeTimers();
  channel = new TestChannel({ can: ['typing'] });
  await channel.open({
    receive: NO_PORT,
    receiveChange: NO_PORT,
    keep: NO_PORT,
    findUpload: NO_PORT,
    readAttachment: NO_PORT,
  });
  signs = new TypingSigns({ channels: () => channel, surfaceOf: async () => channel.surface({ sender: 'ann' }) });
});

afterEach(() => {
  signs.close();
  vi.useRealTimers();
});

it('shows the sign again and again until the run is over', async () => {
  signs.watch(start);
  await vi.advanceTimersByTimeAsync(2_500);
  expect(channel.typingAt).toHaveLength(3);
  signs.watch(END);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(channel.typingAt).toHaveLength(3);
});

it.each(['approval-start', 'wait-start'] as const)('shows none after %s, until the run goes on', async (type) => {
  signs.watch(start);
  await vi.advanceTimersByTimeAsync(100);
  signs.watch({ ...base, type } as LiveEvent);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(channel.typingAt).toHaveLength(1);
  signs.watch({ ...start, attempt: 2 } as LiveEvent);
  await vi.advanceTimersByTimeAsync(100);
  expect(channel.typingAt).toHaveLength(2);
});

it('shows none for a run that was over before its place was known', async () => {
  signs.watch(start);
  signs.watch(END);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(channel.typingAt).toEqual([]);
});
