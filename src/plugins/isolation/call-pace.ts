// How fast one plugin may ask things of the gateway. A plugin that asks faster waits on its own side, in the order of
// asking, so that a flood delays that plugin and not the runs of others. When too many calls wait, the next is refused.
//
// Errors: PluginRefusedError.

import { PluginRefusedError } from '../errors.ts';
import type { PluginHost } from '../plugin-host.ts';

export interface CallPaceParts {
  readonly pluginId: string;
  /** In milliseconds, never going back. */
  readonly now: () => number;
  readonly callsPerSecond?: number | undefined;
  readonly bytesPerSecond?: number | undefined;
  readonly maxWaiting?: number | undefined;
}

/** How much a plugin may ask at once after a pause. */
const BURST_MS = 400;
const MB = 1024 * 1024;

export class CallPace {
  readonly #parts: Required<CallPaceParts>;
  /** When everything that was asked so far would be done at the allowed pace. */
  #paidUntil = Number.NEGATIVE_INFINITY;
  #waiting = 0;

  constructor({ pluginId, now, callsPerSecond = 500, bytesPerSecond = 8 * MB, maxWaiting = 1_000 }: CallPaceParts) {
    this.#parts = { pluginId, now, callsPerSecond, bytesPerSecond, maxWaiting };
  }

  /** Undefined when it may go on at once. */
  turn(bytes: number): Promise<void> | undefined {
    const { pluginId, now, callsPerSecond, bytesPerSecond, maxWaiting } = this.#parts;
    if (this.#waiting >= maxWaiting) {
      throw new PluginRefusedError({ pluginId, detail: `${maxWaiting} of its calls wait for their turn already` });
    }
    const at = now();
    this.#paidUntil = Math.max(at, this.#paidUntil) + 1_000 / callsPerSecond + (bytes * 1_000) / bytesPerSecond;
    const waitMs = this.#paidUntil - at - BURST_MS;
    if (waitMs <= 0) return undefined;
    this.#waiting += 1;
    return new Promise((resolve) => {
      setTimeout(() => {
        this.#waiting -= 1;
        resolve();
      }, waitMs);
    });
  }
}

/** The same host, asked at that pace. Log lines have a limit of their own. */
export function pacedHost(host: PluginHost, pace: CallPace): PluginHost {
  const asked = Object.entries(host).map(([name, ask]) => {
    const paced = async (request: unknown): Promise<unknown> => {
      await pace.turn(sizeOf(request));
      return (ask as (request: unknown) => unknown)(request);
    };
    return [name, paced] as const;
  });
  return { ...(Object.fromEntries(asked) as unknown as PluginHost), log: host.log };
}

/** A value that JSON cannot write cannot cross either, and is refused there. */
function sizeOf(request: unknown): number {
  try {
    return JSON.stringify(request)?.length ?? 0;
  } catch {
    return 0;
  }
}
