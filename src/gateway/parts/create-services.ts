// Builds the services that clients, commands and plugins may use: one entry per noun of `Services`, each with the parts
// that it needs.

import { checkClientWishes } from '../../agent/check-client-wishes.ts';
import { queueInjection } from '../../agent/queue-injection.ts';
import type { RunParts } from '../../agent/run-parts.ts';
import type { AttachmentStore } from '../../attachments/attachment-store.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { listAgentIds, resolveDefaultAgentId } from '../../config/agents.ts';
import type { Environment } from '../../config/environment.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { formatModelRef, parseModelRef } from '../../config/model-choice.ts';
import { modelPrices } from '../../config/model-prices.ts';
import type { Config } from '../../config/schema.ts';
import { webFetchSettingsOf } from '../../config/tool-settings.ts';
import { DeadLetters } from '../../delivery/dead-letters.ts';
import { OUTBOUND_HOOKS } from '../../delivery/delivery-hooks.ts';
import type { Redactor } from '../../recorder/redactor.ts';
import { sessionModelOf } from '../../sessions/session-model.ts';
import type { Store } from '../../store/store.ts';
import type { McpServers } from '../../tools/mcp/mcp-servers.ts';
import { exportsDir } from '../bundle/exports-dir.ts';
import type { PlatformChannels } from '../channels/platform-channels.ts';
import { UnknownChannelError } from '../errors.ts';
import type { GatewayDelivery } from '../gateway-delivery.ts';
import { Attachments } from '../services/attachments.ts';
import { BootstrapFiles } from '../services/bootstrap-files.ts';
import { configVariant } from '../services/config-variant.ts';
import { Embeddings } from '../services/embeddings.ts';
import { explainTools } from '../services/explain-tools.ts';
import { readGatewayStatus, type StatusParts } from '../services/gateway-status.ts';
import { HookControl } from '../services/hook-control.ts';
import { readHookInventory } from '../services/hook-inventory.ts';
import { Nodes } from '../services/nodes.ts';
import { lookAtContext, previewMessage } from '../services/preview-message.ts';
import { readTimeline } from '../services/read-timeline.ts';
import type { ReceiptIndex } from '../services/receipts/receipt-index.ts';
import { Receipts } from '../services/receipts/receipts.ts';
import { loadOtherConfig } from '../services/replay/load-other-config.ts';
import { ModelReplays } from '../services/replay/model-replays.ts';
import type { Services } from '../services/services.ts';
import { Settings } from '../services/settings.ts';
import { describeNearLimits, readSpending } from '../services/spending.ts';
import type { ConfigWatch } from '../settings/config-watch.ts';
import type { Connection, Sharing } from '../sharing/sharing.ts';
import type { SpendLimits } from '../spend-limits.ts';
import type { Pulse } from '../upkeep/pulse.ts';
import type { Retention } from '../upkeep/retention.ts';
import type { StoreWatch } from '../upkeep/store-watch.ts';
import type { BuiltDraftParts } from './create-draft-parts.ts';
import type { GatewayPlugins } from './create-plugins.ts';
import type { Records } from './create-records.ts';
import type { GatewaySchedule } from './create-schedule.ts';
import type { Telemetry } from './create-telemetry.ts';
import type { WayIn } from './create-way-in.ts';

export interface ServiceOptions
  extends Pick<Services, 'subscribe' | 'runs' | 'clientCalls' | 'sessions' | 'approvals' | 'children' | 'installs'> {
  readonly environment: Environment;
  readonly config: Config;
  readonly configWatch: ConfigWatch;
  readonly store: Store;
  readonly storeWatch: Pick<StoreWatch, 'problem'>;
  readonly receiptIndex: ReceiptIndex | undefined;
  readonly cluster: Cluster;
  readonly connection: Pick<Connection, 'traces'>;
  readonly again: Sharing['again'];
  readonly records: Records;
  readonly redactor: Redactor;
  readonly telemetry: Pick<Telemetry, 'prometheus'>;
  readonly pulse: Pick<Pulse, 'samples'>;
  readonly retention: Pick<Retention, 'prune'>;
  readonly files: AttachmentStore;
  readonly plugins: GatewayPlugins;
  readonly mcp: McpServers;
  readonly drafting: BuiltDraftParts;
  /** The same parts for another configuration, which a look is made with. */
  readonly draftFor: (loaded: LoadedConfig) => BuiltDraftParts;
  readonly runParts: RunParts;
  readonly delivery: GatewayDelivery;
  readonly platforms: Pick<PlatformChannels, 'list' | 'reopen'>;
  readonly wayIn: Pick<WayIn, 'inbox' | 'webhooks' | 'pairings' | 'overheard'>;
  readonly commands: Services['commands'] & Parameters<typeof previewMessage>[0]['commands'];
  readonly schedule: Pick<GatewaySchedule, 'jobs'>;
  readonly spendLimits: Pick<SpendLimits, 'settings'>;
  readonly statusParts: StatusParts;
  readonly wakeLane: (sessionKey: string) => void;
  readonly now: () => number;
}

export function createServices(options: ServiceOptions): Services {
  const { environment, config, configWatch, store, records, plugins, drafting, delivery, wayIn, now } = options;
  const { hooks, recorder, trajectoryDir } = records;
  const { engine, route } = drafting;
  const { location } = configWatch;
  const { overheard } = wayIn;
  const spend = () => options.spendLimits.settings;
  const previewing = {
    draft: options.runParts,
    engine,
    route,
    commands: options.commands,
    heardAt: (surface: Parameters<typeof overheard.at>[0]) => overheard.at(surface),
    now,
  };
  const { cluster } = options;
  const nodes = new Nodes({
    cluster,
    config,
    store: store.description,
    startedAt: options.statusParts.startedAt,
    url: options.statusParts.url,
  });
  return {
    store,
    storeProblem: () => options.storeWatch.problem(),
    nodes,
    inbox: wayIn.inbox,
    attachments: new Attachments({ files: options.files, web: webFetchSettingsOf(config) }),
    route,
    subscribe: options.subscribe,
    status: async (asked) => {
      // A change of the files is noticed here even when it was made a moment ago.
      await configWatch.state();
      const near = describeNearLimits(await readSpending(store, spend(), now()));
      const told = await readGatewayStatus(options.statusParts, asked);
      const shown = cluster.isShared ? { nodes: await nodes.list() } : {};
      return { ...told, warnings: [...told.warnings, ...near], ...shown };
    },
    pulse: () => options.pulse.samples,
    metrics: async () => (await options.telemetry.prometheus?.()) ?? '',
    spending: async () => {
      await configWatch.state();
      return readSpending(store, spend(), now());
    },
    runs: options.runs,
    clientCalls: options.clientCalls,
    areAnswersJudged: () => OUTBOUND_HOOKS.some((hook) => hooks.has(hook)),
    areMessagesJudged: () => hooks.has('before_agent_run'),
    sessions: options.sessions,
    injections: { queue: (request) => options.again(() => queueInjection({ store, now }, request)) },
    approvals: options.approvals,
    pairings: wayIn.pairings,
    channels: {
      reopen: async (id) => {
        await configWatch.state();
        if (!(await options.platforms.reopen(id))) throw new UnknownChannelError({ channel: id });
        const channel = options.platforms.list().find((each) => each.id === id);
        return channel?.accounts?.list() ?? [];
      },
    },
    children: options.children,
    commands: options.commands,
    jobs: options.schedule.jobs,
    webhooks: wayIn.webhooks,
    deadLetters: new DeadLetters({
      store,
      wakeLane: options.wakeLane,
      wakeOutbox: () => delivery.outbox.wake(),
      ttlMs: delivery.ttlMs,
      now,
    }),
    debug: records.debugSwitches,
    records: {
      prune: (request) => options.retention.prune(request),
      timeline: async (runId) => {
        await recorder.drain();
        return readTimeline({ store, trajectoryDir, elsewhere: options.connection.traces, now }, runId);
      },
      exportSession: async ({ parent = exportsDir(environment.stateDir), ...request }) => {
        const { exportSession } = await import('../bundle/export-session.ts');
        await recorder.drain();
        return exportSession(
          { store, trajectoryDir, now, node: cluster.isShared ? cluster.node : undefined, redactor: options.redactor },
          { ...request, parent },
        );
      },
    },
    plugins: plugins.control,
    hooks: new HookControl({
      hooks,
      statistics: records.hookStatistics,
      plugins: plugins.control,
      agents: () => engine.prepareAll(),
      inventory: (request) => readHookInventory({ engine, environment }, { ...request, at: new Date(now()) }),
      location,
      takeUp: () => configWatch.state(),
      reload: () => engine.reload(),
    }),
    methods: plugins.methods,
    context: {
      preview: (request) => previewMessage(previewing, request),
      look: async ({ config: fragment, ...request }) => {
        const { current } = configWatch;
        if (!fragment) return { ...(await lookAtContext(previewing, request)), configuration: current };
        const loaded = { ...current, config: await configVariant(engine.config, fragment) };
        const other = options.draftFor(loaded);
        try {
          const parts = { ...previewing, draft: other.parts, engine: other.engine, route: other.route };
          return { ...(await lookAtContext(parts, request)), configuration: loaded };
        } finally {
          other.engine.close();
        }
      },
    },
    bootstrapFiles: new BootstrapFiles({
      store,
      config: () => engine.config,
      agentIds: () => listAgentIds(engine.config),
      workspaceDirOf: (agentId) => engine.workspaceDirOf(agentId),
      now,
    }),
    tools: {
      explain: (request) => explainTools({ ...drafting, config }, request),
      mcpServers: () => options.mcp.statuses(),
    },
    receipts: new Receipts({ store, index: options.receiptIndex }),
    replays: new ModelReplays({
      ...options.runParts,
      model: async (name, agentId) => options.runParts.models.model(parseModelRef(name, config), agentId),
      otherConfig: (path) => loadOtherConfig(environment, path),
      memberId: () => cluster.memberId,
    }),
    embeddings: new Embeddings({
      ...options.runParts,
      config,
      variables: environment.variables,
      memberId: () => cluster.memberId,
    }),
    models: {
      pricesOf: (provider, model) => modelPrices(configWatch.current.config, provider, model),
      list: async ({ isAll, agentId }) => {
        const { listModels } = await import('../models/list-models.ts');
        const allowedFor = isAll ? (agentId ?? resolveDefaultAgentId(configWatch.current.config)) : undefined;
        return listModels(configWatch.current, environment, { all: isAll, allowedFor });
      },
      of: (session) => {
        const chosen = sessionModelOf(session);
        const [first] = drafting.models.candidates(session.agentId, chosen === undefined ? [] : [chosen]);
        return first ? formatModelRef(first) : '';
      },
      check: (name, agentId) => drafting.models.checkNamed(name, agentId),
      checkWishes: (client) => checkClientWishes(drafting.parts, client),
    },
    configuration: configWatch,
    settings: new Settings({ location, watch: configWatch }),
    installs: options.installs,
  };
}
