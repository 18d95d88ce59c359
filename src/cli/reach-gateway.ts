// The gateway to talk to: the one that runs on this state directory, else one of our own for as long as it is needed.

import { loadConfig } from '../config/load-config.ts';
import { resolveUserPath } from '../config/user-path.ts';
import { findToken } from '../gateway/http/token.ts';
import { GatewayDownError } from '../protocol/errors.ts';
import { readOwner } from '../store/state-lock.ts';
import type { CliIo } from './cli-io.ts';
import { oneLine } from './format-table.ts';

export interface ReachedGateway {
  readonly url: string;
  readonly token: string;
  /** True when it was started for this command. */
  readonly isOwn: boolean;
  /** Stops it, if it was started for this command. */
  close(): Promise<void>;
}

const OWN_DRAIN_MS = 5_000;

export async function reachGateway(io: CliIo, configFile: string | undefined): Promise<ReachedGateway> {
  const { environment } = io;
  const configPath =
    configFile === undefined ? undefined : resolveUserPath(configFile, environment.home, environment.cwd);
  const loaded = await loadConfig({ environment, configPath });
  const owner = await readOwner(environment.stateDir);
  if (owner) {
    const token = await findToken(environment.stateDir, loaded.config.gateway?.auth?.token);
    if (token === undefined) throw new GatewayDownError(environment.stateDir, 'it runs, but its token cannot be found');
    return { url: owner.url, token, isOwn: false, close: async () => {} };
  }
  const { startGateway } = await import('../gateway/start-gateway.ts');
  const started = await startGateway({
    environment,
    loaded,
    port: 0,
    warn: (sentence) => io.err(`warning: ${oneLine(sentence)}\n`),
    modules: async () => (await import('../public/compose.ts')).ownModules(),
  });
  return { url: started.url, token: started.token, isOwn: true, close: () => started.stop(OWN_DRAIN_MS) };
}
