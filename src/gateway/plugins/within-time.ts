// What a plugin is asked for, with an end to the waiting. Whoever stops waiting hears no more of it; what the plugin does
// later has no effect here.

import { PluginTimeoutError } from '../errors.ts';

export interface AskedOfPlugin {
  readonly pluginId: string;
  /** Completes "did not answer within …:". */
  readonly what: string;
  readonly ms: number;
}

/** Rejects with PluginTimeoutError, or as the work does. */
export async function withinTime<Value>(
  { pluginId, what, ms }: AskedOfPlugin,
  work: () => Value | Promise<Value>,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new PluginTimeoutError({ pluginId, what, afterMs: ms })), ms);
  });
  try {
    return await Promise.race([late, (async () => work())()]);
  } finally {
    clearTimeout(timer);
  }
}
