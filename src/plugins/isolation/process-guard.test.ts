import { describe, expect, it } from 'vitest';
// @ts-expect-error It is plain JavaScript, without types.
import { reachesGateway } from './process-guard.cjs';

describe('a signal', () => {
  const gateway = { pid: 500, ppid: 400, group: 450 };

  it.each([
    ['the gateway', 500],
    ['what started it', 400],
    ['the group of the sender', 0],
    ['everybody', -1],
    ['the group that the gateway is in', -450],
    ['the group that the gateway leads', -500],
    ['the group of what started it', -400],
  ])('to %s is refused', (_, number) => {
    expect(reachesGateway(number, gateway)).toBe(true);
  });

  it.each([
    ['a child of the plugin', 501],
    ['the group of such a child', -501],
    ['another process', 450],
  ])('to %s passes', (_, number) => {
    expect(reachesGateway(number, gateway)).toBe(false);
  });
});
