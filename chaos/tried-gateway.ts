// The gateway that is tried: a real process with a scripted model whose window is soon full, and the plugin that counts.
// What it still owes is asked over its API.

import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayStatus } from '../src/gateway/services/gateway-status.ts';
import { GatewayProcess } from '../src/testkit/gateway-process.ts';
import { COUNTING_PLUGIN, countingPluginFiles } from './counting-plugin.ts';
import { scriptedModel } from './scripted-model.ts';

const CONTEXT_TOKENS = 4_500;
const LOOK_MS = 100;
/** For everything that is still owed at the end. */
export const PATIENCE_MS = 120_000;

export interface TriedGatewayOptions {
  readonly random: () => number;
  /** Files in the state directory, besides those of the counting plugin. */
  readonly files: Readonly<Record<string, string>>;
  /** Settings of plugins besides the counting one. */
  readonly entries?: Readonly<Record<string, object>> | undefined;
  /** False when the requests of a long trial would use up the memory. */
  readonly recordsRequests?: boolean | undefined;
}

export async function createTriedGateway(options: TriedGatewayOptions): Promise<GatewayProcess> {
  const { random, files, entries, recordsRequests } = options;
  const gateway = await GatewayProcess.create({
    recordsRequests,
    config: {
      gateway: { auth: { token: 'a-token-for-tests-only' }, drainSeconds: 1 },
      agents: {
        defaults: {
          model: 'fake/small',
          contextTokens: CONTEXT_TOKENS,
          skipBootstrap: true,
          subagents: { maxSpawnDepth: 2 },
        },
      },
      tools: { allow: ['read', 'edit', 'exec', 'count', 'sessions_spawn'] },
      plugins: { entries: { counting: { hooks: COUNTING_PLUGIN }, ...entries } },
    },
    files: { ...countingPluginFiles(), 'workspace/notes.txt': 'Nothing.\n', ...files },
  });
  gateway.model.script(scriptedModel(random));
  return gateway;
}

/** Runs, messages, approvals and parts of answers that are not over yet. */
export async function countOwed(gateway: GatewayProcess): Promise<number> {
  const { running, waiting, approvals, outbox } = await gateway.json<GatewayStatus>('/api/status');
  return running.length + waiting + approvals + outbox.queued;
}

/** Goes on without it when it takes too long; what was lost is counted later. */
export async function eventually(holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(LOOK_MS)) {
    if (await holds()) return;
  }
}
