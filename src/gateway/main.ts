// The composition root: only this file, with the create-… files beside it, builds things. It reads downward as the list
// of what a gateway consists of; what each part does is in its own folder.

import { checkClientWishes } from '../agent/check-client-wishes.ts';
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
import type { ExtensionRow } from './channels/channel-extensions.ts';
import { channelMemory } from './channels/channel-memory.ts';
import { listNativeCommands } from './channels/list-native-commands.ts';
import { PlatformChannels } from './channels/platform-channels.ts';
import type { HandlerModules } from './composer/handler-program.ts';
import { ContextWarnings } from './context-warnings.ts';
import { describeInstallation } from './describe-installation.ts';
import { GatewayDelivery } from './gateway-delivery.ts';
import { gatewayHookContext } from './gateway-hook-context.ts';
import { type GatewayPart, openParts, type StopReason } from './gateway-part.ts';
import { listParts, pluginPartOf } from './list-parts.ts';
import { createAttachments } from './parts/create-attachments.ts';
import { createChatRecords } from './parts/create-chat-records.ts';
import { createCommands } from './parts/create-commands.ts';
import { createDraftParts, type DraftOptions } from './parts/create-draft-parts.ts';
import { createHandlerFiles } from './parts/create-handler-files.ts';
import { createLanes } from './parts/create-lanes.ts';
import { createPackContext } from './parts/create-pack-context.ts';
import { createPageNews, type PageNews } from './parts/create-page-news.ts';
import { createPlugins, type GatewayPlugins } from './parts/create-plugins.ts';
import { createRecords, type WatchFacts } from './parts/create-records.ts';
import { createRedactor, learnSecrets } from './parts/create-redactor.ts';
import { createRunParts } from './parts/create-run-parts.ts';
import { createSchedule, type GatewaySchedule } from './parts/create-schedule.ts';
import { createServices } from './parts/create-services.ts';
import { createSessions } from './parts/create-sessions.ts';
import { createSharing } from './parts/create-sharing.ts';
import { createSpawner } from './parts/create-spawner.ts';
import { createStatusParts } from './parts/create-status-parts.ts';
import { createSuspensions } from './parts/create-suspensions.ts';
import { createTelemetry } from './parts/create-telemetry.ts';
import { createUpkeep } from './parts/create-upkeep.ts';
import { createWayIn } from './parts/create-way-in.ts';
import { openMcp } from './parts/open-mcp.ts';
import { openState } from './parts/open-state.ts';
import { readThreadHistory } from './read-thread-history.ts';
import { RunTroubles } from './run-troubles.ts';
import { sayLine } from './say-line.ts';
import { AwaitedEnds } from './services/awaited-ends.ts';
import { checkInstall } from './services/check-install.ts';
import { Children } from './services/children.ts';
import { ClientCalls } from './services/client-calls.ts';
import type { StatusParts } from './services/gateway-status.ts';
import { Installs } from './services/installs.ts';
import { readTrace } from './services/read-trace.ts';
import { RecentRuns } from './services/receipts/recent-runs.ts';
import { Runs } from './services/runs.ts';
import type { Services } from './services/services.ts';
import { ConfigWatch } from './settings/config-watch.ts';
import { LiveConfig } from './settings/live-config.ts';
import { SpendLimits } from './spend-limits.ts';
import { FaultLog } from './upkeep/fault-log.ts';
import { StoreWatch } from './upkeep/store-watch.ts';
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
    wasRead: () => connection.settings.wasRead(),
    warn,
  });

  // The store, with whom it is shared, and what facts are told to.
  const place = storePlaceOf(environment, config);
  const sharing = await createSharing(place, { host: environment.host, startedAt, warn });
  const { cluster, isMine, isClientGone, again } = sharing;
  const { lock, store: opened } = await openState(environment, place, { member: cluster });
  const storeWatch = new StoreWatch({
    store: opened,
    now,
    warn,
    committed: (writes, result) => {
      pageNews.changes.committed(writes);
      delivery.sharedOutbox?.committed(writes, result);
    },
  });
  const knownParts = new KnownParts(storeWatch.store);
  const { store } = knownParts;
  const ground = { environment, config, store, now, warn };
  const telemetry = await createTelemetry({ ...ground, gauges: () => statusParts, redactor });
  const records = createRecords({
    ...ground,
    log: options.log,
    packs: () => packs,
    watchFacts: options.watchFacts,
    listeners: [...(options.factLog ? [logFacts(options.factLog)] : []), ...telemetry.listeners],
    redactor,
    description: () => describeInstallation(configWatch.current, plugins.registry.list()),
  });
  const attachments = createAttachments(ground);
  const { live, hooks, teller } = records;
  const { tell } = teller;
  const subscribe = live.subscribe.bind(live);
  const subscribeHere = live.subscribeHere.bind(live);
  // A trial lets runs fail on purpose.
  const runTroubles = new RunTroubles(new FaultLog({ warn: options.isTrial ? () => undefined : warn, now }));
  subscribeHere(runTroubles.look);
  options.register?.(hooks);

  // Plugins. Their registrations are looked up when they are needed, so that plugins may be loaded and unloaded.
  const plugins = createPlugins({
    ...options,
    store,
    records,
    services: () => services,
    delivery: () => delivery,
    readConfig: () => configWatch.read(pluginPart),
    reloaded: (id) => connection.settings.pluginReloaded(id),
    now,
  });

  // What an agent reads, its tools and its models.
  const wakeLane = (sessionKey: string) => lanes.wake(sessionKey);
  const sessionMail: SessionMail = {
    deliver: (inbound) => wayIn.inbox.receive(inbound),
    waitFor: (runId, signal) => runs.wait(runId, signal),
  };
  const spawning: SpawnPort = { spawn: (params, caller) => spawner.spawn(params, caller) };
  const messages = new AgentMessages({
    store,
    // A client of the API reads only its answer.
    channels: () => delivery.channels.filter(({ id }) => id !== 'api'),
    delivery: () => delivery,
    route: (inbound) => route(inbound),
    wakeLane,
    files: { maxBytes: attachments.limits.maxBytes, keep: (file) => attachments.keep(file) },
    subscribe,
    lookEveryMs: sharing.lookEveryMs(2_000),
    now,
  });
  const mcp = openMcp({ ...options, store, now });
  const engineConfig = () => engine.config;
  const packContext = createPackContext({ ...ground, config: engineConfig, wakeLane });
  const handlers = createHandlerFiles({ ...options, config: engineConfig, worker: plugins.worker, now });
  const contextWarnings = new ContextWarnings(warn);
  const workspaces = new Workspaces(ground);
  const draftOptions: DraftOptions = {
    ...options,
    node: sharing.node,
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
    cronJobs: () => schedule.toolJobs,
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
    ...ground,
    records,
    sharing,
    channels: options.channels,
    platforms: () => platforms.list(),
    settled: (channel) => platforms.settled(channel),
    hasAccount: ({ channel, accountId }) => platforms.hasAccount(channel, accountId),
    isHere: ({ channel, accountId }) => platforms.isHere(channel, accountId),
    keep: (file) => attachments.keep(file),
    stop: (sessionKey) =>
      void suspending.suspensions
        .stop(sessionKey, 'a person pressed stop')
        .catch((error: Error) => warn(`${sessionKey} could not be stopped: ${error.message}`)),
    call: (method, params, { clientId }) => plugins.methods.call(method, params, { id: clientId }),
    sessionKeyOf: ({ surface, session, agent }) => {
      const nobody = { sender: { id: surface.peer.id }, text: '', at: now(), eventId: '' };
      return route({ ...nobody, surface, sessionKey: session, agentId: agent }).sessionKey;
    },
  });

  // How a message becomes a run.
  const timezone = resolveTimezone(config, environment);
  const spendLimits = new SpendLimits(config, { timezone, variables: environment.variables });
  const built = { ...ground, records, drafting, plugins, delivery, attachments, isClientGone, isMine, wakeLane };
  const recentRuns = config.recorder?.enabled === false ? undefined : new RecentRuns(isMine);
  const awaitedEnds = new AwaitedEnds();
  const runParts = createRunParts({
    ...built,
    noteCapture: recentRuns && ((request, writes) => recentRuns.note(request, writes)),
    noteEnd: awaitedEnds.note,
    isResumed: (session) => sessions.isResumed(session),
    worked: (agentId) => workspaces.worked(agentId),
    spend: () => spendLimits.settings,
    sleep: options.sleep,
  });
  const lanes = await createLanes({ ...ground, place, cluster });
  const spawner = createSpawner(built);
  const shown = shownEvents({ hooks, subscribe });
  const connection = sharing.connect({
    ...ground,
    configWatch,
    plugins: plugins.control,
    switches: records.debugSwitches,
    shownHere: shownEvents({ hooks, subscribe: subscribeHere }),
    emit: live.emitFromElsewhere,
    readTrace: async (asked) => {
      await records.recorder.drain();
      return readTrace(records.trajectoryDir, asked);
    },
  });
  const suspending = createSuspensions({ ...built, lanes });
  const { approvals, waits, suspensions } = suspending;
  const commands = createCommands({
    ...built,
    runParts,
    lanes,
    suspending,
    spendLimits,
    modelsOf,
    timezone,
    children: () => children,
    sessions: () => sessions,
    services: () => services,
  });
  const agentId = resolveDefaultAgentId(config);
  const jobs = () => schedule.jobs;
  const hookContext = gatewayHookContext({ config, agentId, workspaceDir: workspaceDirOf(agentId), store, jobs });
  const schedule = createSchedule({
    ...ground,
    teller,
    hookContext,
    channels: () => delivery.channels.map(({ id }) => id),
    workspaceDirOf,
    checkModel: (name, agentId) => models.checkNamed(name, agentId),
    subscribe,
    subscribeHere,
    isShared: cluster.isShared,
    wakeLane,
    again,
  });
  const wayIn = createWayIn({
    ...built,
    token: options.token,
    route,
    commands,
    schedule,
    lanes,
    waits,
    worker: plugins.worker,
    processId: () => cluster.processId,
  });

  // What can be asked for and what is shown.
  const clientCalls = new ClientCalls({
    store,
    wakeLane,
    tell,
    checkWishes: (client) => checkClientWishes(drafting.parts, client),
    now,
  });
  const ended = sharing.watchEnds(store);
  const awaited = { live, ended, awaitedEnds };
  const runs: Runs = new Runs({ store, lanes, suspensions, ...awaited, again, tell, childEnd: runParts, now });
  const children: Children = new Children({
    childEnd: runParts,
    withoutRuns: (sessionKey, stopping, work) => runs.withoutRuns(sessionKey, stopping, work),
    deleteSession: (sessionKey) => sessions.delete(sessionKey),
    subscribe,
    subscribeHere,
    isMine,
    warn,
  });
  const platforms = new PlatformChannels({
    ...ground,
    commands: () => listNativeCommands(commands.list()),
    memoryOf: (channel) => channelMemory(channel, { store, now, warn }),
    port: (channel) => wayIn.admission.portFor(channel),
    changed: () => delivery.outbox.wake(),
    sharing,
    serve: (account, signal) => delivery.serve(account, signal),
    extensions: options.extensions,
  });
  const chatRecords = createChatRecords({ ...ground, subscribe: subscribeHere });
  const sessions: Sessions = createSessions({ ...built, chatRecords, knownParts, runs, children, startedAt });
  const upkeep = createUpkeep({ ...built, recentRuns, stateDir });
  const shownParts = {
    ...built,
    telemetry,
    storeWatch,
    configWatch,
    wayIn,
    platforms,
    schedule,
    lanes,
    spendLimits,
    mcp,
  };
  const statusParts: StatusParts = createStatusParts({
    ...shownParts,
    handlers,
    workspaces,
    contextWarnings,
    runTroubles,
    chatRecords,
    connection,
    sizes: upkeep.sizes,
    modelsOf: (agentId) => modelsOf(agentId),
    url: () => url,
    stateDir,
    startedAt,
  });
  const installs = new Installs({
    environment: given.environment,
    check: (event, context) => checkInstall(hooks, event, context),
    plugins: plugins.control,
    now,
  });
  const stampOfFiles = () => services.bootstrapFiles.stamp();
  const pageNews: PageNews = createPageNews({ ...shownParts, sharing, stateDir, stampOfFiles });
  const services: Services = createServices({
    ...shownParts,
    ...upkeep,
    cluster,
    connection,
    again,
    pulse: pageNews.pulse,
    installs,
    redactor,
    files: attachments,
    draftFor: (variant) => createDraftParts({ ...draftOptions, loaded: variant, ...NOT_FOR_A_LOOK }),
    runParts,
    commands,
    statusParts,
    subscribe: shown,
    runs,
    clientCalls,
    sessions,
    approvals,
    children,
  });

  const pluginPart = pluginPartOf(plugins);
  const parts: readonly GatewayPart[] = listParts({
    ...shownParts,
    ...upkeep,
    isTrial: options.isTrial,
    liveConfig,
    lock,
    sharing,
    connection,
    chatRecords,
    workspaces,
    workspaceDirOf,
    contextWarnings,
    pluginPart,
    shown,
    runParts,
    suspending,
    sessions,
    children,
    pageNews,
    installs,
    hookContext,
  });
  const close = await openParts(parts, warn);

  return {
    config,
    services,
    hooks,
    lock,
    sockets: delivery.sockets,
    schedule,
    plugins,
    hookStatistics: records.hookStatistics,
    agentIds: () => [agentId, ...listAgentIds(config).filter((id) => id !== agentId)],
    listensAt: async (address) => {
      url = address;
      await Promise.all([
        lock.writeOwner({ pid: process.pid, url: address, token: options.token }),
        cluster.listensAt(address),
      ]);
      const port = Number(new URL(address).port);
      const started = tell('gateway-started', { port, context: hookContext });
      // A plugin that is loaded from here on was not told of the start yet, so it is told separately.
      plugins.tellStartAndStop({ tell, context: hookContext, port });
      await started;
    },
    warm: async () => {
      await Promise.all([models.warm(), engine.prepareEarly()]);
      const { listParamsNotTaken } = await import('./models/list-params-not-taken.ts');
      for (const sentence of await listParamsNotTaken(config, environment)) warn(sentence);
    },
    close: (budgetMs, reason = 'shutdown') => {
      const deadline = now() + budgetMs;
      return close({ reason, left: (leastMs = 0) => Math.max(leastMs, deadline - now()) });
    },
  };
}
