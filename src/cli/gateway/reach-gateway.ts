// The gateway to talk to: the one that runs on this state directory, else one that is started for this command.

import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../config/load-config.ts';
import { tokenFile } from '../../config/token-file.ts';
import { resolveUserPath } from '../../config/user-path.ts';
import { OWN_MODULES } from '../../public/own-modules.ts';
import { StateLockedError } from '../../store/errors.ts';
import type { CliIo } from '../cli-io.ts';
import { GatewayDownError, GatewayTokenGoneError } from '../errors.ts';
import { oneLine } from '../output/text.ts';
import { findRunningToken, type GatewayAddress } from './gateway-client.ts';
import { checkAlive } from './watch-liveness.ts';

export interface ReachedGateway extends GatewayAddress {
  /** True when it was started for this command. */
  readonly isOwn: boolean;
  /**
   * The current address: a gateway that was started again may have another one. Rejects with GatewayDownError when none
   * runs.
   */
  find(): Promise<GatewayAddress>;
  /** Stops it, if it was started for this command. */
  close(): Promise<void>;
}

const OWN_DRAIN_MS = 5_000;

/** A gateway that owns the state directory but has not published its address is starting or has just stopped. */
const STARTING_MS = 5_000;
const POLL_MS = 100;

export async function reachGateway(io: CliIo, configFile: string | undefined): Promise<ReachedGateway> {
  const { environment } = io;
  const configPath =
    configFile === undefined ? undefined : resolveUserPath(configFile, environment.home, environment.cwd);
  const find = () => findRunning(io, configPath);
  const { isStateLocked, readOwner } = await import('../../store/state-lock.ts');
  const startOwn = async (): Promise<ReachedGateway> => {
    const loaded = await loadConfig({ environment, configPath });
    const { startGateway } = await import('../../gateway/start-gateway.ts');
    const { url, token, stop } = await startGateway({
      environment,
      loaded,
      configPath,
      port: 0,
      warn: (sentence) => io.err(`warning: ${oneLine(sentence)}\n`),
      modules: OWN_MODULES,
    });
    return { url, token, isOwn: true, find: async () => ({ url, token }), close: () => stop(OWN_DRAIN_MS) };
  };
  for (let waited = 0; ; waited += POLL_MS) {
    const isLastTry = waited >= STARTING_MS;
    if (await readOwner(environment.stateDir)) {
      const found = await find();
      await checkAlive(found);
      return { ...found, isOwn: false, find, close: async () => {} };
    }
    try {
      if (isLastTry || !(await isStateLocked(environment.stateDir))) return await startOwn();
    } catch (error) {
      // Another process was faster.
      if (isLastTry || !(error instanceof StateLockedError)) throw error;
    }
    await sleep(POLL_MS);
  }
}

async function findRunning(io: CliIo, configPath: string | undefined): Promise<GatewayAddress> {
  const { stateDir } = io.environment;
  const { readOwner } = await import('../../store/state-lock.ts');
  const owner = await readOwner(stateDir);
  if (!owner) throw new GatewayDownError({ stateDir, detail: 'no process owns it' });
  // A file that the person named is read in any case, so that they are told when it cannot be.
  const found =
    owner.token === undefined || configPath !== undefined ? await findRunningToken(io, configPath) : undefined;
  const token = owner.token ?? found;
  if (token === undefined) throw new GatewayTokenGoneError({ ...owner, file: tokenFile(stateDir) });
  return { ...owner, token };
}
