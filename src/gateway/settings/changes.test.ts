import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ChangeTopic } from '../../protocol/change-topic.ts';
import type { Write } from '../../store/store.ts';
import { Changes } from './changes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function changesFor({ isWatched = true, channels = () => [] as unknown } = {}) {
  const told: (readonly ChangeTopic[])[] = [];
  const watched = { isWatched };
  const changes = new Changes({
    isWatched: () => watched.isWatched,
    tell: (topics) => void told.push(topics),
    looks: { channels },
  });
  changes.open();
  return { changes, told, watched };
}

const removed = (table: 'pairings' | 'approvals' | 'parts') => [{ remove: table, where: {} }] as readonly Write[];

it('tells what was committed by topic, and what comes quickly together', () => {
  const { changes, told } = changesFor();
  changes.committed(removed('pairings'));
  changes.committed(removed('approvals'));
  changes.committed(removed('pairings'));
  changes.committed(removed('parts'));
  expect(told).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(told).toEqual([['pairings', 'approvals']]);
  changes.committed(removed('pairings'));
  vi.advanceTimersByTime(200);
  expect(told).toHaveLength(2);
  changes.close();
});

it('notices what is no row of the store, once for each change', () => {
  let account = 'connecting';
  const { told } = changesFor({ channels: () => [{ account }] });
  vi.advanceTimersByTime(3_000);
  expect(told).toEqual([]);
  account = 'failed';
  vi.advanceTimersByTime(3_000);
  expect(told).toEqual([['channels']]);
});

it('looks at nothing and collects nothing while no page watches', () => {
  const look = vi.fn(() => []);
  const { changes, told, watched } = changesFor({ isWatched: false, channels: look });
  changes.committed(removed('pairings'));
  vi.advanceTimersByTime(5_000);
  watched.isWatched = true;
  vi.advanceTimersByTime(100);
  expect(look).not.toHaveBeenCalled();
  expect(told).toEqual([]);
});
