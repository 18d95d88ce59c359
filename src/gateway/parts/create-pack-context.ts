// What the bundled hook packs may use of this gateway. They read files under the same rules as the tools: a file must
// lie inside the workspace after links are followed.

import { join } from 'node:path';
import { resolveAgentWorkspaceDir } from '../../config/agent-workspace.ts';
import { listAgentIds } from '../../config/agents.ts';
import type { Environment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import { resolveTimezone } from '../../config/timezone.ts';
import { UnreadableBootstrapFileError } from '../../context/errors.ts';
import { decodeText } from '../../context/sources/decode-text.ts';
import type { PackDeps, SaidMessage } from '../../hooks/bundled/pack-deps.ts';
import { frozenCopy } from '../../hooks/isolated-copy.ts';
import type { InternalHookRegistration } from '../../hooks/packs/pack-registration.ts';
import { buildCronSessionKey } from '../../protocol/build-session-key.ts';
import { textOf } from '../../protocol/message.ts';
import { newId } from '../../protocol/new-id.ts';
import { parseAgentSessionKey } from '../../protocol/session-key.ts';
import { silentSurface } from '../../schedule/deliver-target.ts';
import { lineageOf } from '../../store/lineage-of.ts';
import type { Store } from '../../store/store.ts';
import type { TranscriptRow } from '../../store/tables.ts';
import { openContainedFile, openContainedTarget } from '../../tools/contained-path.ts';
import { withheldMemory } from '../../tools/memory/memory-access.ts';
import { OneAtATime } from '../../tools/one-at-a-time.ts';
import { replaceFile } from '../../tools/replace-file.ts';
import { memoryPolicyOf } from '../memory-policy.ts';

export interface PackDepsOptions {
  /** The configuration that is in use now. */
  readonly config: () => Config;
  readonly environment: Environment;
  readonly store: Store;
  readonly wakeLane: (sessionKey: string) => void;
  readonly now: () => number;
}

const MAX_FILE_BYTES = 256 * 1024;

/** The additional context fields for handlers of packs: the configuration for all, and more for the bundled ones. */
export function createPackContext(options: PackDepsOptions): (registration: InternalHookRegistration) => object {
  // The configuration is known when the first handler is called, not when this is built.
  let depsOf: ReturnType<typeof createPackDeps> | undefined;
  let config: Config | undefined;
  let cfg: object = {};
  return ({ source, owner }) => {
    if (config !== options.config()) {
      config = options.config();
      cfg = frozenCopy(config);
    }
    if (source !== 'openclaw-bundled') return { cfg };
    depsOf ??= createPackDeps(options);
    return { cfg, deps: depsOf(owner) };
  };
}

function createPackDeps(options: PackDepsOptions): (pack: string) => PackDeps {
  const { environment, store } = options;
  const config = options.config();
  const rules = {
    policyOf: memoryPolicyOf(options.config, environment),
    lineageOf: (sessionKey: string) => lineageOf(store, sessionKey),
  };
  const writes = new OneAtATime();
  const placeOf = (agentId: string) => ({
    workspaceDir: resolveAgentWorkspaceDir(config, agentId, environment.variables),
  });
  const shared: Omit<PackDeps, 'settings'> = {
    logsDir: join(environment.stateDir, 'logs'),
    timezone: resolveTimezone(config, environment),
    agentIds: listAgentIds(config),
    readMessages: async (sessionId, limit) => {
      const where = { sessionId, kind: 'message' };
      // More rows are read than asked for, because tool results stand between the messages.
      const rows = await store.select('transcript', { where, orderBy: [['position', 'desc']], limit: limit * 10 });
      return rows.flatMap(saidIn).slice(0, limit).reverse();
    },
    mayRemember: async (sessionKey) => {
      const agentId = parseAgentSessionKey(sessionKey)?.agentId;
      const [session] = await store.select('sessions', { where: { sessionKey, endedAt: null }, limit: 1 });
      const surface = session?.surface ?? silentSurface('nobody');
      return agentId !== undefined && (await withheldMemory({ agentId, sessionKey, surface }, rules)) === undefined;
    },
    readFile: (agentId, name) => readText(placeOf(agentId), name),
    createFile: (agentId, path, text) =>
      writes.run(agentId, async () => {
        const target = await openContainedTarget(placeOf(agentId), path, { createFolders: true });
        try {
          if (target.stats !== undefined) return false;
          await replaceFile(target, path, text, { signal: new AbortController().signal });
          return true;
        } finally {
          await target.folder.close();
        }
      }),
    startRun: (run) => startRun(options, run),
  };
  return (pack) => ({ ...shared, settings: { ...options.config().hooks?.internal?.entries?.[pack] } });
}

function saidIn({ message, shown, at }: TranscriptRow): SaidMessage[] {
  if (message.role === 'tool') return [];
  const text = shown ?? (message.role === 'user' ? message.content : textOf(message));
  return text.trim() === '' ? [] : [{ role: message.role, text, at }];
}

async function readText(place: { readonly workspaceDir: string }, name: string): Promise<string | undefined> {
  const file = await openContainedFile(place, name).catch(() => undefined);
  if (!file) return undefined;
  try {
    if (file.stats.size > MAX_FILE_BYTES) return undefined;
    const decoded = decodeText(await file.handle.readFile());
    if ('text' in decoded) return decoded.text;
    throw new UnreadableBootstrapFileError({ path: join(place.workspaceDir, name), detail: decoded.problem });
  } finally {
    await file.handle.close();
  }
}

/**
 * The run gets a session of its own, so that it delays no other, and counts as scheduled, so that nothing in the text
 * is a command.
 */
async function startRun(
  { store, wakeLane, now }: PackDepsOptions,
  { agentId, text, id }: Parameters<PackDeps['startRun']>[0],
): Promise<void> {
  const sessionKey = buildCronSessionKey({ agentId, jobId: 'boot' });
  const at = now();
  const inbound = { surface: silentSurface('boot'), sender: { id: 'boot', name: 'BOOT.md' }, text, at, sessionKey };
  await store.commit(
    [
      {
        insert: 'inbox',
        row: {
          runId: newId('run', at),
          sessionKey,
          kind: 'cron',
          dedupeKey: JSON.stringify(['boot', agentId, id]),
          fingerprint: null,
          payload: { inbound, agentId },
          acceptedAt: at,
          status: 'queued',
        },
        onConflict: 'ignore',
      },
    ],
    { site: 'accept' },
  );
  wakeLane(sessionKey);
}
