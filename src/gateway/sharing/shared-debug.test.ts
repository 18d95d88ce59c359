import { expect, it } from 'vitest';
import { MemoryCluster } from '../../cluster/fixtures/memory-cluster.ts';
import { DebugSwitches } from '../../recorder/debug-switches.ts';
import { SharedDebug } from './shared-debug.ts';

const FILES = { payload: '/p', 'raw-stream': '/r', 'cache-trace': '/c', 'model-payload': null, trajectory: null };
const KEY = 'agent:main:main';

/** The clocks of the nodes differ. */
function node(cluster: MemoryCluster, name: string, clock: { now: number }, aheadMs: number) {
  const now = () => clock.now + aheadMs;
  const switches = new DebugSwitches({ always: new Set(), files: FILES, now });
  const shared = new SharedDebug({ cluster: cluster.add(name), switches, now });
  shared.open();
  return switches;
}

it('what is switched on at one node is on at all of them, for as long, until it is switched off at any', () => {
  const cluster = new MemoryCluster();
  const clock = { now: 1_000_000 };
  const [a, b] = [node(cluster, 'a', clock, 0), node(cluster, 'b', clock, -90_000)];
  a.switchOn({ logs: ['payload'], sessionKey: KEY, ms: 5_000 });
  expect(b.isOn('payload', KEY)).toBe(true);
  expect(b.isOn('payload', 'agent:main:other')).toBe(false);
  clock.now += 4_000;
  expect([a.isOn('payload', KEY), b.isOn('payload', KEY)]).toEqual([true, true]);
  b.switchOn({ logs: ['cache-trace'], ms: 60_000 });
  expect(a.list()).toHaveLength(2);
  clock.now += 2_000;
  expect([a.isOn('payload', KEY), b.isOn('payload', KEY)]).toEqual([false, false]);
  b.switchOff({ logs: ['cache-trace'] });
  expect(a.list()).toEqual([]);
});

it('a node that joins later is told', () => {
  const cluster = new MemoryCluster();
  const clock = { now: 1_000_000 };
  const a = node(cluster, 'a', clock, 0);
  a.switchOn({ logs: ['payload'], ms: 5_000 });
  const late = node(cluster, 'late', clock, 0);
  // Another one joins, and everybody who has something to tell tells it.
  node(cluster, 'later', clock, 0);
  expect(late.isOn('payload', KEY)).toBe(true);
});
