// Builds what spawns children: the operator's settings for it, the agents and models that there are, and the tools of
// the run that asks.

import { ChildSpawner, type OpenedThread, type ThreadRequest } from '../../agent/subagents/spawn-child.ts';
import { listAgentIds } from '../../config/agents.ts';
import type { Environment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import { subagentModelsOf, subagentSettingsOf } from '../../config/subagent-settings.ts';
import { lineageOf } from '../../store/lineage-of.ts';
import type { NewRow, Store } from '../../store/store.ts';
import type { WithheldFiles } from '../../tools/contained-path.ts';
import { type MemoryPolicyOf, withheldFiles } from '../../tools/memory/memory-access.ts';
import type { ToolCaller } from '../../tools/tool.ts';
import type { GatewayDelivery } from '../gateway-delivery.ts';
import { memoryPolicyOf } from '../memory-policy.ts';
import type { BuiltDraftParts } from './create-draft-parts.ts';
import type { Records } from './create-records.ts';

export interface SpawnerOptions {
  readonly environment: Environment;
  readonly config: Config;
  readonly store: Store;
  readonly drafting: Pick<BuiltDraftParts, 'models' | 'offer' | 'engine'>;
  readonly records: Pick<Records, 'hooks' | 'teller'>;
  readonly delivery: Pick<GatewayDelivery, 'channelOf'>;
  readonly wakeLane: (sessionKey: string) => void;
  readonly now: () => number;
}

export function createSpawner(options: SpawnerOptions): ChildSpawner {
  const { environment, config, store, drafting, records, delivery, wakeLane, now } = options;
  const { models, offer, engine } = drafting;
  return new ChildSpawner({
    store,
    now,
    hooks: records.hooks,
    tell: records.teller.tell,
    wakeLane,
    openThread: (thread) => openThread(delivery, thread),
    workspaceDirOf: (agentId) => engine.workspaceDirOf(agentId),
    withheldFrom: (child) => withheldFrom(child, { store, policyOf: memoryPolicyOf(() => engine.config, environment) }),
    agentIds: () => listAgentIds(config),
    settingsOf: (agentId) => subagentSettingsOf(config, agentId),
    modelsOf: (agentId) => subagentModelsOf(config, agentId),
    checkModel: (name, agentId) => models.check(name, agentId),
    toolNamesOf: async (caller) => {
      const tools = await offer.offered({ ...caller, ...(await modelOf(store, caller, models)) });
      return tools.map(({ name }) => name);
    },
  });
}

/** The child is not stored yet, so its line is looked up from its parent on. */
function withheldFrom(
  child: NewRow<'children'>,
  { store, policyOf }: { readonly store: Store; readonly policyOf: MemoryPolicyOf },
): Promise<WithheldFiles | undefined> {
  const { agentId, childKey: sessionKey, parentKey, boundTo, origin } = child;
  const rules = { policyOf, lineageOf: async () => [child, ...(await lineageOf(store, parentKey))] };
  return withheldFiles({ agentId, sessionKey, surface: boundTo ?? origin }, rules);
}

/** How long a platform has to open a thread. */
const THREAD_TIMEOUT_MS = 30_000;

async function openThread(delivery: SpawnerOptions['delivery'], thread: ThreadRequest): Promise<OpenedThread> {
  const { channel } = thread.surface;
  const threads = delivery.channelOf(channel)?.threads;
  if (!threads) {
    const instead = 'Use mode="run" without thread, and the result comes back to this conversation.';
    return {
      kind: 'refused',
      reason: `thread=true is not possible here: the channel "${channel}" has no threads. ${instead}`,
    };
  }
  const opened = await threads.create(thread, AbortSignal.timeout(THREAD_TIMEOUT_MS));
  if (opened.outcome === 'done') return { kind: 'opened', surface: opened.value };
  return { kind: 'refused', reason: `The thread could not be opened: ${opened.reason}.` };
}

/** The model that the run of the caller uses, because a policy may depend on it. */
async function modelOf(
  store: Store,
  { runId, agentId }: ToolCaller,
  models: BuiltDraftParts['models'],
): Promise<{ readonly provider: string; readonly model: string }> {
  const [capture] = await store.select('captures', { where: { runId }, orderBy: [['call', 'desc']], limit: 1 });
  const { provider, model } = capture ?? models.candidates(agentId)[0] ?? { provider: '', model: '' };
  return { provider, model };
}
