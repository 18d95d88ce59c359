// Looks whether kept requests are still what was sent: every part of a request has to have its hash. It reads a sample, the
// newest and the oldest ones, because a store may hold a hundred thousand.

import { readCapture } from '../../recorder/capture.ts';
import type { Store } from '../../store/store.ts';

export interface CaptureCheck {
  readonly checked: number;
  /** The requests of which a part is gone or was changed. */
  readonly damaged: readonly { readonly runId: string; readonly call: number }[];
}

const SAMPLE = 50;

export async function checkCaptures(store: Store): Promise<CaptureCheck> {
  const found = new Map<string, { readonly runId: string; readonly call: number }>();
  for (const order of ['desc', 'asc'] as const) {
    for (const { runId, call } of await store.select('captures', { orderBy: [['at', order]], limit: SAMPLE }))
      found.set(`${runId} ${call}`, { runId, call });
  }
  const damaged: { runId: string; call: number }[] = [];
  for (const { runId, call } of found.values()) {
    const capture = await readCapture(store, runId, call);
    // A request that was removed meanwhile is not damaged.
    if (capture && capture.missing.length > 0) damaged.push({ runId, call });
  }
  return { checked: found.size, damaged };
}
