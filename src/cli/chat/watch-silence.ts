// Notices during a chat that the gateway does not answer any more: its process was stopped, or it spins. The connection
// itself does not tell, because the system keeps it open. The gateway is asked only while somebody waits for an answer.

import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayFrozenError } from '../errors.ts';
import type { GatewayAddress } from '../gateway/gateway-client.ts';
import { checkAlive, LONGEST_SILENCE_MS } from '../gateway/watch-liveness.ts';

export interface SilenceWatch {
  readonly find: () => Promise<GatewayAddress>;
  readonly isWaiting: () => boolean;
  /** Called with the error when the gateway falls silent, and with undefined when it answers again. */
  readonly changed: (error: GatewayFrozenError | undefined) => void;
}

const LOOK_EVERY_MS = 1_000;

/** A person is told after this time at the latest. */
export const LONGEST_UNTOLD_MS = LOOK_EVERY_MS + LONGEST_SILENCE_MS;

/** Returns the function that ends the watch. */
export function watchSilence({ find, isWaiting, changed }: SilenceWatch): () => void {
  const over = new AbortController();
  const watch = async () => {
    let isSilent = false;
    for (;;) {
      await sleep(LOOK_EVERY_MS, undefined, { signal: over.signal, ref: false });
      if (!isWaiting() && !isSilent) continue;
      const error = await silenceOf(find);
      if (over.signal.aborted || (error !== undefined) === isSilent) continue;
      isSilent = error !== undefined;
      changed(error);
    }
  };
  // The only way out of the loop is its end.
  void watch().catch(() => {});
  return () => over.abort();
}

/** Other problems are told by the connection itself. */
async function silenceOf(find: () => Promise<GatewayAddress>): Promise<GatewayFrozenError | undefined> {
  try {
    await checkAlive(await find());
  } catch (error) {
    if (error instanceof GatewayFrozenError) return error;
  }
  return undefined;
}
