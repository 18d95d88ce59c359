// Asks a plugin for something and waits no longer than the given time. What the plugin does after that has no effect here.
// Time in which other plugins keep the worker from this one, or make it start again, does not count, within bounds.

import { MAX_HELD_UP_MS } from '../../hooks/deadline.ts';
import type { MayBeHeldUp } from '../../plugins/registration.ts';
import { oneLine } from '../../protocol/one-line.ts';
import { within } from '../../protocol/time-limit.ts';
import { PluginTimeoutError } from '../errors.ts';

export interface AskedOfPlugin extends MayBeHeldUp {
  readonly pluginId: string;
  /** Completes "did not answer within …:". */
  readonly what: string;
  readonly ms: number;
}

/** Rejects with PluginTimeoutError, or as the work does. */
export async function askPlugin<Value>(
  { pluginId, what, ms, isHeldUp }: AskedOfPlugin,
  work: () => Value | Promise<Value>,
): Promise<Value> {
  const working = (async () => work())();
  if (!(await withinOwnTime(ms, working, isHeldUp))) throw new PluginTimeoutError({ pluginId, what, afterMs: ms });
  return working;
}

/** How often it is looked whether the plugin is being held up, within its time. */
const LOOKS = 4;

/** Like `within`, but the time begins anew while the plugin is held up by others. */
export async function withinOwnTime(
  ms: number,
  promise: Promise<unknown>,
  isHeldUp: MayBeHeldUp['isHeldUp'],
): Promise<boolean> {
  if (!isHeldUp) return within(ms, promise);
  const lookMs = ms / LOOKS;
  let looks = 0;
  for (let heldUpMs = 0; looks < LOOKS; ) {
    if (await within(lookMs, promise)) return true;
    looks += 1;
    if (heldUpMs >= MAX_HELD_UP_MS || !isHeldUp()) continue;
    heldUpMs += looks * lookMs;
    looks = 0;
  }
  return false;
}

export function reasonOf(error: unknown): string {
  return oneLine(error) || 'it did not say why';
}
