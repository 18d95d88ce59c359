// Asks a plugin for something and waits no longer than the given time. What the plugin does after that has no effect here.

import { oneLine } from '../../protocol/one-line.ts';
import { within } from '../../protocol/time-limit.ts';
import { PluginTimeoutError } from '../errors.ts';

export interface AskedOfPlugin {
  readonly pluginId: string;
  /** Completes "did not answer within …:". */
  readonly what: string;
  readonly ms: number;
}

/** Rejects with PluginTimeoutError, or as the work does. */
export async function askPlugin<Value>(
  { pluginId, what, ms }: AskedOfPlugin,
  work: () => Value | Promise<Value>,
): Promise<Value> {
  const working = (async () => work())();
  if (!(await within(ms, working))) throw new PluginTimeoutError({ pluginId, what, afterMs: ms });
  return working;
}

export function reasonOf(error: unknown): string {
  return oneLine(error) || 'it did not say why';
}
