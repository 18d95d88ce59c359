// What a running gateway makes of a change in a configuration file: whether it has taken the change up, or waits for its
// next start with it. The change is written by then, so a gateway that cannot be asked is a sentence, and no error.

import { type ConfigPath, formatConfigPath } from '../../config/config-path.ts';
import type { ConfigState } from '../../gateway/settings/config-state.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import type { CliIo } from '../cli-io.ts';
import { GatewayDownError, GatewayTokenOtherError } from '../errors.ts';
import { lazyClient, openGatewayClient } from '../gateway/gateway-client.ts';

/** Sentences for people; none when no gateway runs. An empty path stands for the whole file. */
export async function tellFollowing(io: CliIo, file: string, at: ConfigPath): Promise<readonly string[]> {
  const client = lazyClient(() => openGatewayClient(io));
  try {
    const { files, waiting, problem } = await client.get<ConfigState>('/api/config');
    if (!files.includes(file)) return [`The running gateway reads other files (${files.join(', ') || 'none'}).`];
    if (problem !== null) return [`The running gateway keeps what it has: ${problem}`];
    const place = at.length === 0 ? '' : formatConfigPath(at);
    const late = waiting.filter((each) => isBelow(each, place) || isBelow(place, each));
    return [
      late.length === 0
        ? 'The running gateway has taken it up.'
        : `The running gateway takes it up at its next start: ${late.join(', ')}.`,
    ];
  } catch (error) {
    if (error instanceof GatewayDownError) return [];
    if (error instanceof GatewayTokenOtherError && formatConfigPath(at) === 'gateway.auth.token')
      return ['The running gateway has the token that it was started with; this one counts from its next start on.'];
    if (!isAtriumError(error)) throw error;
    return [`It is written, but the running gateway could not be asked whether it takes it up: ${error.message}`];
  } finally {
    await client.close();
  }
}

function isBelow(path: string, of: string): boolean {
  return of === '' || path === of || path.startsWith(`${of}.`) || path.startsWith(`${of}[`);
}
