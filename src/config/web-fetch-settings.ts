// What `tools.web.fetch` allows: which private hosts, how many bytes and how much time.

import type { Config } from './schema.ts';

export interface WebFetchSettings {
  /** Hosts, or `host:port`, that may be fetched although their addresses are private. */
  readonly allowHosts: readonly string[];
  readonly maxBytes: number;
  readonly maxChars: number;
  readonly timeoutMs: number;
}

export function webFetchSettingsOf({ tools }: Pick<Config, 'tools'>): WebFetchSettings {
  const {
    allowHosts = [],
    maxBytes = 5 * 1024 * 1024,
    maxChars = 50_000,
    timeoutSeconds = 30,
  } = tools?.web?.fetch ?? {};
  return { allowHosts, maxBytes, maxChars, timeoutMs: timeoutSeconds * 1_000 };
}
