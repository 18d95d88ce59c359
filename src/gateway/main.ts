// The composition root: only this file, with the create-… files beside it, builds things. It reads downward as the list
// of what a gateway consists of; what each part does is in its own folder.

import { readFrame } from '../agent/request-frame.ts';
import type { RunParts } from '../agent/run-parts.ts';
import type { Channel } from '../channels/channel.ts';
import { listAgentIds, resolveDefaultAgentId } from '../config/agents.ts';
import { withConfigVariables } from '../config/config-variables.ts';
import type { Environment } from '../config/environment.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { formatModelRef } from '../config/model-choice.ts';
import type { Config } from '../config/schema.ts';
import { storePlaceOf } from '../config/store-place.ts';
import { resolveTimezone } from '../config/timezone.ts';
import { shownEvents } from '../delivery/shown-events.ts';
import type { PackSink } from '../facts/teller.ts';
import type { HookStatistics } from '../hooks/hook-statistics.ts';
import type { HookRunner } from '../hooks/runner.ts';
import type { Log, Say } from '../protocol/log.ts';
import { parseAgentSessionKey } from '../protocol/session-key.ts';
import { KnownParts } from '../recorder/known-parts.ts';
import type { LearningRedactor } from '../recorder/redactor.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { StateLock } from '../store/state-lock.ts';
import { logFacts } from '../telemetry/fact-lines.ts';
import type { SessionMail } from '../tools/sessions-send.ts';
import type { SpawnPort } from '../tools/sessions-spawn.ts';
import type { Tool } from '../tools/tool.ts';
import { AgentMessages } from './agent-messages.ts';
import { exportsDir } from './bundle/exports-dir.ts';
import type { ExtensionRow } from './channels/channel-extensions.ts';
import { channelMemory } from './channels/channel-memory.ts';
import { listNativeCommands } from './channels/list-native-commands.ts';
import { PlatformChannels } from './channels/platform-channels.ts';
import type { HandlerModules } from './composer/handler-program.ts';
import { ConfigWatch } from './config-watch.ts';
import { ContextWarnings } from './context-warnings.ts';
import { createAttachments } from './create-attachments.ts';
import { createChatRecords } from './create-chat-records.ts';
import { createCluster } from './create-cluster.ts';
import { createDraftParts, type DraftOptions } from './create-draft-parts.ts';
import { createHandlerFiles } from './create-handler-files.ts';
import { createLanes } from './create-lanes.ts';
import { createPackContext } from './create-pack-context.ts';
import { createPageNews, type PageNews } from './create-page-news.ts';
import { createPlugins, type GatewayPlugins } from './create-plugins.ts';
import { createRecords, type WatchFacts } from './create-records.ts';
import { createRedactor, learnSecrets } from './create-redactor.ts';
import { createRunParts } from './create-run-parts.ts';
import { createSchedule, type GatewaySchedule } from './create-schedule.ts';
import { createServices } from './create-services.ts';
import { createSessions } from './create-sessions.ts';
import { createSpawner } from './create-spawner.ts';
import { createStatusParts } from './create-status-parts.ts';
import { createSuspensions } from './create-suspensions.ts';
import { createTelemetry } from './create-telemetry.ts';
import { createWayIn } from './create-way-in.ts';
import { describeInstallation } from './describe-installation.ts';
import { FaultLog } from './fault-log.ts';
import { GatewayDelivery } from './gateway-delivery.ts';
import { gatewayHookContext } from './gateway-hook-context.ts';
import { type GatewayPart, openParts, type StopReason } from './gateway-part.ts';
import { Housekeeping } from './housekeeping.ts';
import { approveCommand } from './inbound/approve-command.ts';
import { GatewayCommandPorts } from './inbound/command-ports.ts';
import { subagentsCommand } from './inbound/subagents-command.ts';
import { tellStop } from './inbound/tell-stop.ts';
import { listParts, pluginPartOf } from './list-parts.ts';
import { LiveConfig } from './live-config.ts';
import { openMcp } from './open-mcp.ts';
import { openState } from './open-state.ts';
import { readThreadHistory } from './read-thread-history.ts';
import { RecordSizes } from './record-sizes.ts';
import { Retention } from './retention.ts';
import { RunTroubles } from './run-troubles.ts';
import { sayLine } from './say-line.ts';
import { checkInstall } from './services/check-install.ts';
import { Children } from './services/children.ts';
import { ClientCalls } from './services/client-calls.ts';
import type { StatusParts } from './services/gateway-status.ts';
import { Installs } from './services/installs.ts';
import { ReceiptIndex } from './services/receipts/receipt-index.ts';
import { Runs } from './services/runs.ts';
import type { Services } from './services/services.ts';
import type { SharedConfig } from './sharing/shared-config.ts';
import { SpendLimits } from './spend-limits.ts';
import { StoreWatch } from './store-watch.ts';
import { Workspaces } from './workspaces.ts';

/** A look neither warns, nor creates a workspace, nor makes the gateway watch further files. */
const NOT_FOR_A_LOOK = { warnings: undefined, found: undefined, workspaces: undefined, warn: undefined };
export interface GatewayOptions {
  readonly environment: Environment;
  readonly loaded: LoadedConfig;
  /** The file that `--config` named; then no other configuration file was read. */
  readonly configPath?: string | undefined;
  /** The token that clients of this gateway need. Without it, the one that the operator chose. */
  readonly token?: string | undefined;
  /** Called with one sentence for the operator, and the ids of what it is about. */
  readonly warn: Say;
  /** The same for normal operation, such as log lines of plugins. Without it they are dropped. */
  readonly log?: Say | undefined;
  /** What the facts of the product's life are written to. Without it they are in no log. */
  readonly factLog?: Log | undefined;
  /** Hides secrets in what is recorded. Without it, one is made from the configuration. */
  readonly redactor?: LearningRedactor | undefined;
  /** Registers the handlers of a program that embeds the gateway. */
  readonly register?: ((hooks: HookRunner) => void) | undefined;
  readonly watchFacts?: WatchFacts | undefined;
  /** Channels in addition to web, cli and api. */
  readonly channels?: readonly Channel[] | undefined;
  /** Chat platforms in addition to those that come with the product. */
  readonly extensions?: readonly ExtensionRow[] | undefined;
  /** Tools in addition to those that come with the product. */
  readonly tools?: readonly Tool[] | undefined;
  /** What handlers of hook packs may import by name. */
  readonly modules?: HandlerModules | undefined;
  readonly now?: (() => number) | undefined;
  /** Plugins' services are not started, and the configuration must not be written. */
  readonly isTrial?: boolean | undefined;
  /** How a run waits before it asks a busy provider again. */
  readonly sleep?: RunParts['sleep'] | undefined;
}

export interface OpenedGateway {
  /** The configuration; what can change while the gateway runs is what it is now. */
  readonly config: Config;
  readonly services: Services;
  readonly hooks: HookRunner;
  readonly lock: StateLock;
  readonly sockets: GatewayDelivery['sockets'];
  readonly schedule: GatewaySchedule;
  readonly plugins: GatewayPlugins;
  readonly hookStatistics: HookStatistics;
  /** The agents as they are now, the default one first. */
  readonly agentIds: () => readonly string[];
  /** Tells the gateway its address, once it listens. */
  listensAt(url: string): Promise<void>;
  /** Loads what the first message needs, and tells what is wrong with it. */
  warm(): Promise<void>;
  /** Finishes running work within the budget, leaves the rest for the next start, and loses nothing. */
  close(budgetMs: number, reason?: StopReason): Promise<void>;
}

export async function openGateway(given: GatewayOptions): Promise<OpenedGateway> {
  const liveConfig = new LiveConfig(given.loaded.config);
  const { config } = liveConfig;
  const loaded = { ...given.loaded, config };
  const options = { ...given, loaded, environment: withConfigVariables(given.environment, given.loaded) };
  const { environment, warn, now = Date.now } = options;
  const { stateDir } = environment;
  const startedAt = now();
  let url: string | undefined;
  let pageNews: PageNews | undefined;
  let sharedOutbox: GatewayDelivery['sharedOutbox'];
  let sharedConfig: SharedConfig | undefined;

  const redactor = options.redactor ?? (await createRedactor(given.environment, given.loaded));
  redactor.know([options.token ?? '']);
  const configWatch: ConfigWatch = new ConfigWatch({
    location: { environment: given.environment, configPath: options.configPath, runsCommands: true },
    loaded: given.loaded,
    parts: () => parts,
    learn: (changed) => {
      learnSecrets(redactor, given.environment, changed);
      records.recorder.describeAnew();
    },
    wasRead: () => sharedConfig?.wasRead(),
    warn,
  });

  // The store, and what facts are told to.
  const place = storePlaceOf(environment, config);
  const cluster = await createCluster(place, { host: environment.host, warn });
  const { lock, store: opened } = await openState(environment, place, { member: cluster });
  // Undefined for a gateway that has its store alone. Then nothing below asks or tells other nodes.
  const sharing = !cluster.isShared ? undefined : { cluster, ...(await import('./sharing/sharing.ts')) };
  const storeWatch = new StoreWatch({
    store: opened,
    now,
    warn,
    committed: (writes, result) => {
      pageNews?.changes.committed(writes);
      sharedOutbox?.committed(writes, result);
    },
  });
  const knownParts = new KnownParts(storeWatch.store);
  const { store } = knownParts;
  const telemetry = await createTelemetry({ environment, config, gauges: () => statusParts, now, warn, redactor });
  const records = createRecords({
    environment,
    config,
    store,
    now,
    warn,
    log: options.log,
    packs: () => packs,
    watchFacts: options.watchFacts,
    listeners: [...(options.factLog ? [logFacts(options.factLog)] : []), ...telemetry.listeners],
    redactor,
    description: () => describeInstallation(configWatch.current, plugins.registry.list()),
  });
  const attachments = createAttachments({ environment, config, store, now });
  const { live, hooks, teller } = records;
  // A trial lets runs fail on purpose.
  const runTroubles = new RunTroubles(new FaultLog({ warn: options.isTrial ? () => undefined : warn, now }));
  live.subscribeHere(runTroubles.look);
  const { tell } = teller;
  options.register?.(hooks);

  // Plugins. Their registrations are looked up when they are needed, so that plugins may be loaded and unloaded.
  const plugins = createPlugins({
    ...options,
    store,
    records,
    services: () => services,
    delivery: () => delivery,
    readConfig: () => configWatch.read(pluginPart),
    reloaded: (id) => sharedConfig?.pluginReloaded(id),
    now,
  });

  // What an agent reads, its tools and its models.
  const sessionMail: SessionMail = {
    deliver: (inbound) => inbox.receive(inbound),
    waitFor: (runId, signal) => services.runs.wait(runId, signal),
  };
  const spawning: SpawnPort = { spawn: (params, caller) => spawner.spawn(params, caller) };
  const messages = new AgentMessages({
    store,
    // A client of the API reads only its answer.
    channels: () => delivery.channels.filter(({ id }) => id !== 'api'),
    delivery: () => delivery,
    route: (inbound) => route(inbound),
    wakeLane: (sessionKey) => lanes.wake(sessionKey),
    files: { maxBytes: attachments.limits.maxBytes, keep: (file) => attachments.keep(file) },
    subscribe: (listener) => live.subscribe(listener),
    lookEveryMs: sharing && 2_000,
    now,
  });
  const mcp = openMcp({ ...options, store, now });
  const cronJobs = () => schedule.toolJobs;
  const packContext = createPackContext({
    config: () => engine.config,
    environment,
    store,
    now,
    wakeLane: (key) => lanes.wake(key),
  });
  const handlers = createHandlerFiles({
    ...options,
    config: () => engine.config,
    worker: plugins.worker,
    now,
  });
  const contextWarnings = new ContextWarnings(warn);
  const workspaces = new Workspaces({ environment, config, now, warn });
  const draftOptions: DraftOptions = {
    ...options,
    node: sharing && cluster.node,
    store,
    hooks,
    attachments,
    now,
    mcp,
    sessionMail,
    spawning,
    subagents: () => children,
    messages,
    threadHistory: (request) => readThreadHistory(delivery.channelOf(request.surface.channel), request),
    cronJobs,
    plugins,
    handlers,
    packContext,
    workspaces,
    warnings: contextWarnings,
    found: () => configWatch.watchFiles(),
  };
  const drafting = createDraftParts(draftOptions);
  const { engine, models, route } = drafting;
  const workspaceDirOf = (agentId: string) => engine.workspaceDirOf(agentId);
  const modelsOf = (agentId: string, asked: readonly string[] = []) =>
    models.candidates(agentId, asked).map(formatModelRef);
  const packs: PackSink = {
    agentOf: (key) => engine.prepare({ agentId: parseAgentSessionKey(key)?.agentId, at: new Date(now()) }),
    say: (key, text) => sayLine({ store, delivery, now }, key, text),
  };

  // Where answers go.
  const delivery: GatewayDelivery = new GatewayDelivery({
    config,
    store,
    records,
    channels: options.channels,
    platforms: () => platforms.list(),
    settled: (channel) => platforms.settled(channel),
    keep: (file) => attachments.keep(file),
    stop: (sessionKey) =>
      void suspensions
        .stop(sessionKey, 'a person pressed stop')
        .catch((error: Error) => warn(`${sessionKey} could not be stopped: ${error.message}`)),
    call: (method, params, { clientId }) => plugins.methods.call(method, params, { id: clientId }),
    sessionKeyOf: ({ surface, session, agent }) =>
      route({
        surface,
        sender: { id: surface.peer.id },
        text: '',
        at: now(),
        eventId: '',
        sessionKey: session,
        agentId: agent,
      }).sessionKey,
    sharing,
    hasAccount: ({ channel, accountId }) => platforms.hasAccount(channel, accountId),
    isHere: ({ channel, accountId }) => platforms.isHere(channel, accountId),
    now,
    warn,
  });
  const { sockets, outbox } = delivery;
  sharedOutbox = delivery.sharedOutbox;

  // How a message becomes a run.
  const timezone = resolveTimezone(config, environment);
  const spendLimits = new SpendLimits(config, { timezone, variables: environment.variables });
  // A client that waited on a connection of an earlier process is gone, and one that waited at a node that is gone.
  const isClientGone: RunParts['isClientGone'] = ({ isAwaited, awaitedBy = null }, acceptedAt) =>
    isAwaited === true && (sharing ? !cluster.hasProcess(awaitedBy) : acceptedAt < startedAt);
  const runParts = createRunParts({
    config,
    store,
    drafting,
    records,
    delivery,
    plugins,
    wakeLane: (sessionKey) => lanes.wake(sessionKey),
    isResumed: (session) => sessions.isResumed(session),
    worked: (agentId) => workspaces.worked(agentId),
    spend: () => spendLimits.settings,
    sleep: options.sleep,
    isClientGone,
    now,
    warn,
  });
  const lanes = await createLanes({ store, place, cluster, config, now, warn });
  const wakeLane = (sessionKey: string) => lanes.wake(sessionKey);
  const spawner = createSpawner({ environment, config, store, drafting, records, delivery, wakeLane, now });
  const subscribe = live.subscribe.bind(live);
  const subscribeHere = live.subscribeHere.bind(live);
  const shown = shownEvents({ hooks, subscribe });
  const chores = sharing && new sharing.Chores({ cluster, warn });
  sharedConfig = sharing && new sharing.SharedConfig({ cluster, configWatch, plugins: plugins.control, warn });
  const sharedEvents =
    sharing &&
    new sharing.SharedEvents({
      cluster,
      store,
      shownHere: shownEvents({ hooks, subscribe: subscribeHere }),
      emit: live.emitFromElsewhere,
      warn,
    });
  const sharedDebug = sharing && new sharing.SharedDebug({ cluster, switches: records.debugSwitches, now });
  const suspending = createSuspensions({
    store,
    records,
    delivery,
    lanes,
    isClientGone,
    isMine: chores?.isMine,
    now,
    warn,
  });
  const { approvals, waits, suspensions } = suspending;
  const commands = new GatewayCommandPorts({
    store,
    commands: plugins.commands,
    stop: (place, reason) => {
      void tellStop(runParts, place);
      return suspensions.stop(place.sessionKey, reason);
    },
    approve: (args, place) => approveCommand({ store, approvals, people: plugins.commands.people, now }, args, place),
    subagents: (rest, place) => subagentsCommand(children, rest, place),
    exportSession: (sessionKey) => services.records.exportSession({ sessionKey, isRedacted: true }),
    running: () => lanes.running,
    modelsOf,
    checkModel: (name, agentId) => models.checkNamed(name, agentId),
    allowedModels: (agentId) => models.allowedEntries(agentId),
    chooseModel: (place, model) => sessions.chooseModel(place, model),
    deliveryOf: (id) => {
      const guarantee = delivery.channelOf(id)?.guarantee;
      return guarantee && `${guarantee.level}: ${guarantee.because}`;
    },
    spend: () => spendLimits.settings,
    readFrame: (runId) => readFrame(runParts, runId),
    timezone,
    now,
  });
  const agentId = resolveDefaultAgentId(config);
  const hookContext = gatewayHookContext({
    config,
    agentId,
    workspaceDir: workspaceDirOf(agentId),
    store,
    jobs: () => schedule.jobs,
  });
  const schedule = createSchedule({
    store,
    teller,
    hookContext,
    config,
    environment,
    channels: () => delivery.channels.map(({ id }) => id),
    workspaceDirOf,
    checkModel: (name, agentId) => models.checkNamed(name, agentId),
    subscribe,
    subscribeHere,
    isShared: sharing !== undefined,
    wakeLane,
    now,
    warn,
  });

  const wayIn = createWayIn({
    environment,
    config,
    token: options.token,
    store,
    records,
    attachments,
    route,
    delivery,
    commands,
    schedule,
    lanes,
    waits,
    worker: plugins.worker,
    processId: () => cluster.processId,
    now,
    warn,
  });
  const { inbox, admission } = wayIn;

  // What can be asked for and what is shown.
  const clientCalls = new ClientCalls({ store, wakeLane, tell, now });
  const runs = new Runs({
    store,
    lanes,
    suspensions,
    live,
    ended: sharing && new sharing.EndedRuns({ store }),
    tell,
    childEnd: runParts,
    now,
  });
  const children: Children = new Children({
    childEnd: runParts,
    withoutRuns: (sessionKey, stopping, work) => runs.withoutRuns(sessionKey, stopping, work),
    deleteSession: (sessionKey) => sessions.delete(sessionKey),
    subscribe,
    subscribeHere,
    isMine: chores?.isMine,
    warn,
  });
  const platforms = new PlatformChannels({
    environment,
    commands: () => listNativeCommands(commands.list()),
    memoryOf: (channel) => channelMemory(channel, { store, now, warn }),
    port: (channel) => admission.portFor(channel),
    changed: () => outbox.wake(),
    sharing: sharing && {
      cluster,
      SharedPlatform: sharing.SharedPlatform,
      serve: (account, signal) => delivery.serve(account, signal),
    },
    now,
    warn,
    extensions: options.extensions,
  });
  const chatRecords = createChatRecords({ config, environment, store, subscribe: subscribeHere, warn });
  const sessions: Sessions = createSessions({
    store,
    records,
    drafting,
    plugins,
    attachments,
    chatRecords,
    knownParts,
    runs,
    children,
    startedAt,
    now,
  });
  const { trajectoryDir } = records;
  const removed = () => {
    sizes.forget();
    records.recorder.describeAnew();
  };
  const retention = new Retention({ store, trajectoryDir, limits: config.recorder, now, removed });
  const sizes = new RecordSizes({ store, stateDir, trajectoryDir, exportsDir: exportsDir(stateDir), now });
  const statusParts: StatusParts = createStatusParts({
    config,
    store,
    storeWatch,
    records,
    telemetry,
    drafting,
    handlers,
    workspaces,
    contextWarnings,
    runTroubles,
    chatRecords,
    plugins,
    mcp,
    delivery,
    platforms,
    wayIn,
    schedule,
    lanes,
    spendLimits,
    configWatch,
    sharedConfig,
    sizes,
    modelsOf: (agentId) => modelsOf(agentId),
    url: () => url,
    stateDir,
    startedAt,
    now,
  });
  const installs = new Installs({
    environment: given.environment,
    check: (event, context) => checkInstall(hooks, event, context),
    plugins: plugins.control,
    now,
  });
  const stampOfFiles = () => services.bootstrapFiles.stamp();
  pageNews = createPageNews({
    delivery,
    plugins,
    configWatch,
    records,
    lanes,
    stateDir,
    stampOfFiles,
    cluster: sharing?.cluster,
    now,
  });
  const receiptIndex =
    config.recorder?.enabled === false ? undefined : new ReceiptIndex({ store, warn, isMine: chores?.isMine });
  const services: Services = createServices({
    receiptIndex,
    cluster,
    pulse: pageNews.pulse,
    installs,
    environment,
    config,
    configWatch,
    store,
    storeWatch,
    records,
    redactor,
    telemetry,
    retention,
    files: attachments,
    plugins,
    mcp,
    drafting,
    draftFor: (variant) => createDraftParts({ ...draftOptions, loaded: variant, ...NOT_FOR_A_LOOK }),
    runParts,
    delivery,
    platforms,
    wayIn,
    commands,
    schedule,
    spendLimits,
    statusParts,
    subscribe: shown,
    runs,
    clientCalls,
    sessions,
    approvals,
    children,
    wakeLane,
    memberId: sharing && (() => cluster.memberId),
    now,
  });

  const housekeeping = new Housekeeping({ retention, attachments, sizes, isMine: chores?.isMine, warn });

  const pluginPart = pluginPartOf(plugins);
  const parts: readonly GatewayPart[] = listParts({
    config,
    receiptIndex,
    isTrial: options.isTrial,
    liveConfig,
    configWatch,
    lock,
    cluster,
    store,
    attachments,
    records,
    telemetry,
    chatRecords,
    workspaces,
    workspaceDirOf,
    contextWarnings,
    plugins,
    pluginPart,
    mcp,
    drafting,
    delivery,
    platforms,
    wayIn,
    shown,
    sharedEvents,
    sharedConfig,
    sharedDebug,
    chores,
    isAlive: (owner) => cluster.isAlive(owner),
    runParts,
    lanes,
    suspending,
    sessions,
    children,
    schedule,
    spendLimits,
    retention,
    housekeeping,
    pageNews,
    installs,
    hookContext,
    warn,
  });
  const close = await openParts(parts, warn);

  return {
    config,
    services,
    hooks,
    lock,
    sockets,
    schedule,
    plugins,
    hookStatistics: records.hookStatistics,
    agentIds: () => [agentId, ...listAgentIds(config).filter((id) => id !== agentId)],
    listensAt: async (address) => {
      url = address;
      await Promise.all([lock.writeOwner({ pid: process.pid, url: address }), cluster.listensAt(address)]);
      const port = Number(new URL(address).port);
      const started = tell('gateway-started', { port, context: hookContext });
      // A plugin that is loaded from here on was not told of the start yet, so it is told separately.
      plugins.tellStartAndStop({ tell, context: hookContext, port });
      await started;
    },
    warm: async () => {
      await Promise.all([models.warm(), engine.prepareEarly()]);
    },
    close: (budgetMs, reason = 'shutdown') => {
      const deadline = now() + budgetMs;
      return close({ reason, left: (leastMs = 0) => Math.max(leastMs, deadline - now()) });
    },
  };
}
