// Finds a gateway that still runs although its state directory, or the lock in it, was removed or replaced. Nothing in
// the directory belongs to it any more, so it is looked for where one would listen: at the address that was left behind,
// and at the one of the configuration. It says itself what it has lost; a gateway of another directory is not meant.

import { configuredPort } from '../../config/gateway-port.ts';
import { readConfig } from '../../config/load-config.ts';
import { DEFAULT_PORT, formatUrl, resolveBindAddress } from '../../gateway/http/bind-address.ts';
import type { CliIo } from '../cli-io.ts';
import { sendRequest } from './send-request.ts';

export interface StrayGateway {
  readonly url: string;
  /** Known when its file with the address is still there. */
  readonly pid?: number | undefined;
  /** Which file it misses, in its own words. */
  readonly problem: string;
}

const ANSWER_MS = 1_000;

/** Never rejects: a gateway that cannot be asked is not found. */
export async function findStrayGateway({ environment }: CliIo): Promise<StrayGateway | undefined> {
  const { stateDir } = environment;
  const { readLastOwner } = await import('../../store/state-lock.ts');
  const left = await readLastOwner(stateDir);
  const places: Omit<StrayGateway, 'problem'>[] = left ? [left] : [];
  const configured = await configuredUrl(environment);
  if (configured !== undefined && configured !== left?.url) places.push({ url: configured });
  for (const place of places) {
    const problem = await problemAt(place.url);
    if (problem?.includes(stateDir)) return { ...place, problem };
  }
  return undefined;
}

async function configuredUrl(environment: CliIo['environment']): Promise<string | undefined> {
  try {
    const config = await readConfig({ environment });
    // The token does not matter here; an address for which one is missing would not have been used.
    return formatUrl(
      resolveBindAddress(config.gateway?.bind, 'any'),
      configuredPort(config, environment.variables) ?? DEFAULT_PORT,
    );
  } catch {
    return undefined;
  }
}

async function problemAt(url: string): Promise<string | undefined> {
  try {
    const { text } = await sendRequest(`${url}/readyz`, { method: 'GET', signal: AbortSignal.timeout(ANSWER_MS) });
    const { problem } = JSON.parse(text) as { problem?: unknown };
    return typeof problem === 'string' ? problem : undefined;
  } catch {
    return undefined;
  }
}
