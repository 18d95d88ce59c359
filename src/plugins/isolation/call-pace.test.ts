import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recordingHost } from '../fixtures/scratch-plugins.ts';
import { CallPace, pacedHost } from './call-pace.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function hostWith(limits: { callsPerSecond?: number; bytesPerSecond?: number; maxWaiting?: number }) {
  const host = recordingHost();
  const pace = new CallPace({ pluginId: 'eager', now: () => Date.now(), ...limits });
  return { host, paced: pacedHost(host, pace) };
}

const ask = (number: number) => ({ method: `m${number}`, params: {} });

describe('what a plugin asks of the gateway', () => {
  it('goes through at once until it is too much, then at its pace and in its order', async () => {
    const { host, paced } = hostWith({ callsPerSecond: 10, bytesPerSecond: Number.POSITIVE_INFINITY });
    for (let number = 0; number < 10; number++) void paced.callMethod(ask(number));
    await vi.advanceTimersByTimeAsync(0);
    expect(host.asked).toHaveLength(4);
    await vi.advanceTimersByTimeAsync(300);
    expect(host.asked).toHaveLength(7);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(host.asked.map(({ request }) => (request as { method: string }).method)).toEqual(
      Array.from({ length: 10 }, (_, number) => `m${number}`),
    );
  });

  it('counts by its size, too', async () => {
    const { host, paced } = hostWith({ bytesPerSecond: 1_000 });
    for (let count = 0; count < 3; count++) void paced.callMethod({ method: 'x', params: { text: 'x'.repeat(300) } });
    await vi.advanceTimersByTimeAsync(0);
    expect(host.asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(host.asked).toHaveLength(3);
  });

  it('is refused when too much of it waits, and what it logs is not held up', async () => {
    const { host, paced } = hostWith({ callsPerSecond: 10, bytesPerSecond: Number.POSITIVE_INFINITY, maxWaiting: 2 });
    for (let number = 0; number < 6; number++) void paced.callMethod(ask(number));
    await expect(paced.callMethod(ask(6))).rejects.toMatchObject({ code: 'ATRIUM_PLUGIN_REFUSED' });
    expect(paced.log).toBe(host.log);
    await vi.advanceTimersByTimeAsync(1_000);
    await paced.callMethod(ask(7));
    expect(host.asked).toHaveLength(7);
  });
});
