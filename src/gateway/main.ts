// The composition root: only this file, with the create-… files beside it, builds things. It reads downward as the list
// of what a gateway consists of; what each part does is in its own folder.

import { queueInjection } from '../agent/queue-injection.ts';
import { readFrame } from '../agent/request-frame.ts';
import type { RunParts } from '../agent/run-parts.ts';
import { tellForgottenEnds } from '../agent/tell-forgotten-ends.ts';
import { sessionContext, sessionTelling } from '../agent/tell-session.ts';
import type { Channel } from '../channels/channel.ts';
import { expandAccessGroups, listAccessGroupProblems } from '../config/access-groups.ts';
import { listAgentIds, resolveAgentDefaults, resolveDefaultAgentId } from '../config/agents.ts';
import { groupHistoryLimitOf } from '../config/channels/history-limit.ts';
import { withConfigVariables } from '../config/config-variables.ts';
import { configuredTokenOf } from '../config/configured-token.ts';
import type { Environment } from '../config/environment.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { formatModelRef } from '../config/model-choice.ts';
import { modelPrices } from '../config/model-prices.ts';
import { listOwnerProblems } from '../config/owners.ts';
import { maxConcurrentSubagents } from '../config/subagent-settings.ts';
import { resolveTimezone } from '../config/timezone.ts';
import { webFetchSettingsOf } from '../config/tool-settings.ts';
import { DeadLetters } from '../delivery/dead-letters.ts';
import { OUTBOUND_HOOKS } from '../delivery/delivery-hooks.ts';
import { shownEvents } from '../delivery/shown-events.ts';
import type { PackSink } from '../facts/teller.ts';
import type { HookStatistics } from '../hooks/hook-statistics.ts';
import type { HookRunner } from '../hooks/runner.ts';
import { EmbeddedLanes } from '../lanes/embedded-lanes.ts';
import { GatewayNotReadyError } from '../protocol/errors.ts';
import type { Surface } from '../protocol/inbound.ts';
import type { Log, Say } from '../protocol/log.ts';
import { isSubagentSessionKey, parseAgentSessionKey } from '../protocol/session-key.ts';
import { within } from '../protocol/time-limit.ts';
import { KnownParts } from '../recorder/known-parts.ts';
import { planForget } from '../recorder/prune-captures.ts';
import { Sessions } from '../sessions/sessions.ts';
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
import { LIVE_CONTEXT_SETTINGS } from './composer/context-engine.ts';
import type { HandlerModules } from './composer/handler-program.ts';
import { ConfigWatch } from './config-watch.ts';
import { ContextWarnings } from './context-warnings.ts';
import { createAttachments } from './create-attachments.ts';
import { createChatRecords } from './create-chat-records.ts';
import { createDraftParts } from './create-draft-parts.ts';
import { createHandlerFiles } from './create-handler-files.ts';
import { createPackContext } from './create-pack-context.ts';
import { createPlugins, type GatewayPlugins } from './create-plugins.ts';
import { createRecords, type WatchFacts } from './create-records.ts';
import { createRedactor } from './create-redactor.ts';
import { createRunParts } from './create-run-parts.ts';
import { createSchedule, type GatewaySchedule } from './create-schedule.ts';
import { createSpawner } from './create-spawner.ts';
import { createTelemetry } from './create-telemetry.ts';
import { UnknownChannelError } from './errors.ts';
import { FaultLog } from './fault-log.ts';
import { GatewayDelivery } from './gateway-delivery.ts';
import { gatewayHookContext } from './gateway-hook-context.ts';
import { type GatewayPart, type GatewayStop, openParts, type StopReason } from './gateway-part.ts';
import { Housekeeping } from './housekeeping.ts';
import { Admission } from './inbound/admission.ts';
import { approveCommand } from './inbound/approve-command.ts';
import { GatewayCommandPorts } from './inbound/command-ports.ts';
import { Inbox } from './inbound/inbox.ts';
import { OverheardTalk } from './inbound/overheard-talk.ts';
import { RefusalLog } from './inbound/refusal-log.ts';
import { subagentsCommand } from './inbound/subagents-command.ts';
import { tellStop } from './inbound/tell-stop.ts';
import { RunWork } from './lane-work.ts';
import { isOnlyAddition, LiveAgents } from './live-agents.ts';
import { openMcp } from './open-mcp.ts';
import { openState } from './open-state.ts';
import { PauseWatch } from './pause-watch.ts';
import { readThreadHistory } from './read-thread-history.ts';
import { recordLimits } from './record-limits.ts';
import { RecordSizes } from './record-sizes.ts';
import { registerSendPolicy } from './register-send-policy.ts';
import { Retention } from './retention.ts';
import { RunTroubles } from './run-troubles.ts';
import { sayLine } from './say-line.ts';
import { Approvals } from './services/approvals.ts';
import { Attachments } from './services/attachments.ts';
import { checkInstall } from './services/check-install.ts';
import { Children } from './services/children.ts';
import { ClientCalls } from './services/client-calls.ts';
import { Embeddings } from './services/embeddings.ts';
import { explainTools } from './services/explain-tools.ts';
import { listAgentStatuses, readGatewayStatus } from './services/gateway-status.ts';
import { HookControl } from './services/hook-control.ts';
import { readHookInventory } from './services/hook-inventory.ts';
import { Pairings } from './services/pairings.ts';
import { lookAtContext, previewMessage } from './services/preview-message.ts';
import { ReceiptIndex } from './services/receipts/receipt-index.ts';
import { Runs } from './services/runs.ts';
import { WordIndex } from './services/search/word-index.ts';
import type { Services } from './services/services.ts';
import { describeNearLimits, readSpending } from './services/spending.ts';
import { Suspensions } from './services/suspensions.ts';
import { Waits } from './services/waits.ts';
import { SpendLimits } from './spend-limits.ts';
import { StoreWatch } from './store-watch.ts';
import { WEBHOOK_SETTINGS, Webhooks } from './webhooks/webhooks.ts';
import { Workspaces } from './workspaces.ts';

/** Listeners that are told that the gateway stops have at least this long, even when the time for stopping is over. */
const LAST_WORDS_MS = 2_000;
/** Each step of a stop has at least this long, even when the gateway stops in a hurry. */
const LEAST_CLOSE_MS = 500;

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
  const agents = new LiveAgents(given.loaded.config);
  const { config } = agents;
  const loaded = { ...given.loaded, config };
  const options = { ...given, loaded, environment: withConfigVariables(given.environment, given.loaded) };
  const { environment, warn, now = Date.now } = options;
  const { stateDir } = environment;
  const defaults = resolveAgentDefaults(config);
  const startedAt = now();
  let url: string | undefined;

  const configWatch: ConfigWatch = new ConfigWatch({
    location: { environment: given.environment, configPath: options.configPath, runsCommands: true },
    loaded: given.loaded,
    parts: () => parts,
    warn,
  });

  // The store, and what facts are told to.
  const { lock, store: opened } = await openState(environment);
  const storeWatch = new StoreWatch({ store: opened, now, warn });
  const knownParts = new KnownParts(storeWatch.store);
  const { store } = knownParts;
  const redactor = await createRedactor(config);
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
  });
  const attachments = createAttachments({ environment, config, store, now });
  const { live, recorder, hooks, teller } = records;
  // A trial lets runs fail on purpose.
  const runTroubles = new RunTroubles(new FaultLog({ warn: options.isTrial ? () => undefined : warn, now }));
  live.subscribe(runTroubles.look);
  const { tell } = teller;
  registerSendPolicy(hooks, config);
  options.register?.(hooks);

  // Plugins. Their registrations are looked up when they are needed, so that plugins may be loaded and unloaded.
  const plugins = createPlugins({
    ...options,
    store,
    records,
    services: () => services,
    delivery: () => delivery,
    readConfig: () => configWatch.read(pluginPart),
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
  const drafting = createDraftParts({
    ...options,
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
  });
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
    now,
    warn,
  });
  const { sockets, outbox } = delivery;

  // How a message becomes a run.
  const timezone = resolveTimezone(config, environment);
  const spendLimits = new SpendLimits(config, { timezone, variables: environment.variables });
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
    startedAt,
    now,
    warn,
  });
  const lanes = new EmbeddedLanes({
    store,
    limit: defaults.maxConcurrent ?? 16,
    // Children take no slot of people's sessions, however many there are.
    aside: { isMeant: isSubagentSessionKey, limit: maxConcurrentSubagents(config) },
    now,
    warn,
  });
  const wakeLane = (sessionKey: string) => lanes.wake(sessionKey);
  const spawner = createSpawner({ environment, config, store, drafting, records, delivery, wakeLane, now });
  const subscribe = live.subscribe.bind(live);
  const shown = shownEvents({ hooks, subscribe });
  const approvals = new Approvals({
    store,
    delivery,
    wakeLane,
    tell,
    subscribe,
    now,
    warn,
  });
  const waits = new Waits({
    store,
    unended: async (childKeys) => {
      const working = await store.select('children', { where: { childKey: { in: childKeys }, endedAt: null } });
      return working.map(({ childKey }) => childKey);
    },
    concerns: ({ type }) => type === 'wait-start' || type === 'child-end',
    subscribe,
    wakeLane,
    tell,
    now,
    warn,
  });
  const stopLane = (sessionKey: string, reason: string) => lanes.stop(sessionKey, reason);
  const suspensions = new Suspensions({ store, approvals, waits, stopLane });
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
    checkModel: (name) => models.checkNamed(name),
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
    subscribe,
    wakeLane,
    now,
    warn,
  });

  // The services that clients, commands and plugins may use.
  const inboxLanes = {
    wake: (sessionKey: string) => {
      lanes.wake(sessionKey);
      waits.messageCame(sessionKey);
    },
  };
  const inbox = new Inbox({ store, hooks, route, commands, delivery, tell, lanes: inboxLanes, attachments, now });
  const webhooks = new Webhooks({
    config,
    gatewayToken: options.token ?? configuredTokenOf(config, environment.variables),
    store,
    inbox,
    queueInjection: (request) => queueInjection({ store, now }, request),
    mainSessionKeyOf: schedule.toolJobs.mainSessionKeyOf,
    channels: () => delivery.channels.map(({ id }) => id),
    now,
    warn,
  });
  const pairings = new Pairings({ store, delivery, route, now });
  const refusals = new RefusalLog({ warn, now });
  const overheard = new OverheardTalk((surface) => groupHistoryLimitOf(config, surface));
  const admission = new Admission({
    inbox,
    pairings,
    refusals,
    overheard,
    expandGroups: (entries, channel) => expandAccessGroups(config, entries, channel),
    attachments,
    now,
  });
  const clientCalls = new ClientCalls({ store, wakeLane, tell, now });
  const runs = new Runs({ store, lanes, suspensions, live, tell, childEnd: runParts, now });
  const children: Children = new Children({
    childEnd: runParts,
    withoutRuns: (sessionKey, stopping, work) => runs.withoutRuns(sessionKey, stopping, work),
    deleteSession: (sessionKey) => sessions.delete(sessionKey),
    subscribe,
    warn,
  });
  const platforms = new PlatformChannels({
    environment,
    commands: () => listNativeCommands(commands.list()),
    memoryOf: (channel) => channelMemory(channel, { store, now, warn }),
    port: (channel) => admission.portFor(channel),
    changed: () => outbox.wake(),
    now,
    warn,
    extensions: options.extensions,
  });
  const chatRecords = createChatRecords({ config, environment, store, subscribe, warn });
  const sessions = new Sessions({
    store,
    now,
    telling: (occasion, isRecovered) =>
      sessionTelling(tell, {
        contextOf: (session) => sessionContext(session, workspaceDirOf(session.agentId), occasion, isRecovered),
        // For an end that is told late, it is not known any more which client or platform asked for it.
        command: { source: isRecovered ? 'recovery' : 'api' },
      }),
    isEndHeard: () => hooks.has('session_end'),
    upSince: startedAt,
    withoutRuns: (sessionKey, stopping, work) => runs.withoutRuns(sessionKey, stopping, work),
    endChild: (sessionKey, outcome) => children.end(sessionKey, outcome),
    planForget: (runIds) => {
      knownParts.forget();
      return planForget(store, runIds);
    },
    forgetRecords: (sessionIds) => recorder.forgetSessions(sessionIds),
    forgetAttachments: (rows) => attachments.forget(rows),
    forgetProcesses: (sessionKey) => drafting.exec.processes.forget(sessionKey),
    releaseSession: async (sessionKey) => {
      await chatRecords.compare(sessionKey);
      await plugins.cleanup.releaseSession(sessionKey, 'delete');
    },
    show: (rows) => plugins.extensions.show(rows),
  });
  const { trajectoryDir } = records;
  const retention = new Retention({ store, trajectoryDir, limits: config.recorder, now });
  const sizes = new RecordSizes({ store, stateDir, trajectoryDir, exportsDir: exportsDir(stateDir), now });
  const statusParts = {
    store,
    lanes,
    jobs: schedule.jobs,
    channels: () => delivery.channels,
    agents: () => listAgentStatuses(config, workspaceDirOf, (agentId) => modelsOf(agentId)),
    warnings: () => [
      ...storeWatch.warnings,
      ...telemetry.problems,
      // What is odd about limits and webhooks may have changed since the start.
      ...loaded.warnings.filter(({ path }) => !/^(limits\.spend|hooks\.)/.test(path)).map(({ message }) => message),
      ...spendLimits.warnings,
      ...webhooks.problems,
      ...configWatch.warnings(),
      ...models.problems(),
      ...drafting.exec.problems,
      ...drafting.toolWarnings(),
      ...listAccessGroupProblems(config),
      ...listOwnerProblems(config),
      ...mcp.warnings,
      ...platforms.problems,
      ...plugins.troubles(),
      ...handlers.inline,
      ...workspaces.warnings,
      ...chatRecords.warnings,
      ...records.handlerTroubles.warnings,
      ...runTroubles.warnings,
      ...contextWarnings.warnings,
    ],
    refused: () => refusals.count,
    now,
    unused: loaded.unused,
    keys: loaded.keys,
    debug: () => records.debugSwitches.list(),
    sizes,
    url: () => url,
    stateDir,
    startedAt,
  };
  const heardAt = (surface: Surface) => overheard.at(surface);
  const previewing = { draft: runParts, engine, route, commands, heardAt, now };
  const services: Services = {
    store,
    storeProblem: () => storeWatch.problem(),
    inbox,
    attachments: new Attachments({ files: attachments, web: webFetchSettingsOf(config) }),
    route,
    subscribe: shown,
    status: async () => {
      // A change of the files is noticed here even when it was made a moment ago.
      await configWatch.state();
      const near = describeNearLimits(await readSpending(store, spendLimits.settings, now()));
      const told = await readGatewayStatus(statusParts);
      return { ...told, warnings: [...told.warnings, ...near] };
    },
    metrics: async () => (await telemetry.prometheus?.()) ?? '',
    spending: async () => {
      await configWatch.state();
      return readSpending(store, spendLimits.settings, now());
    },
    runs,
    clientCalls,
    areAnswersJudged: () => OUTBOUND_HOOKS.some((hook) => hooks.has(hook)),
    sessions,
    injections: { queue: (request) => queueInjection({ store, now }, request) },
    approvals,
    pairings,
    channels: {
      reopen: async (id) => {
        await configWatch.state();
        if (!(await platforms.reopen(id))) throw new UnknownChannelError({ channel: id });
        return (
          platforms
            .list()
            .find((each) => each.id === id)
            ?.accounts?.list() ?? []
        );
      },
    },
    children,
    commands,
    jobs: schedule.jobs,
    webhooks,
    deadLetters: new DeadLetters({ store, wakeLane, wakeOutbox: () => outbox.wake(), ttlMs: delivery.ttlMs, now }),
    debug: records.debugSwitches,
    records: {
      prune: (request) => retention.prune(request),
      exportSession: async ({ parent = exportsDir(stateDir), ...request }) => {
        const { exportSession } = await import('./bundle/export-session.ts');
        await recorder.drain();
        return exportSession({ store, trajectoryDir, now, redactor }, { ...request, parent });
      },
    },
    plugins: plugins.control,
    hooks: new HookControl({
      hooks,
      statistics: records.hookStatistics,
      plugins: plugins.control,
      agents: () => engine.prepareAll(),
      inventory: (request) => readHookInventory({ engine, environment }, { ...request, at: new Date(now()) }),
      reload: () => engine.reload(),
    }),
    methods: plugins.methods,
    context: {
      preview: (request) => previewMessage(previewing, request),
      look: async (request) => {
        const look = await lookAtContext(previewing, request);
        return { ...look, configuration: configWatch.current };
      },
    },
    tools: {
      explain: (request) => explainTools({ ...drafting, config }, request),
      mcpServers: () => mcp.statuses(),
    },
    embeddings: new Embeddings({
      config,
      variables: environment.variables,
      store,
      spend: () => spendLimits.settings,
      now,
    }),
    models: { pricesOf: (provider, model) => modelPrices(configWatch.current.config, provider, model) },
    configuration: configWatch,
    installs: { check: (event, context) => checkInstall(hooks, event, context) },
  };

  const housekeeping = new Housekeeping({ retention, attachments, sizes, warn });

  const receiptIndex = new ReceiptIndex({ store, warn });
  const wordIndex = new WordIndex({ store, warn });

  const pauseWatch = new PauseWatch(warn);

  // The parts are opened from top to bottom and closed from bottom to top.
  const farewell = async ({ reason, left }: GatewayStop) => {
    await sessions.tellStop(reason, left(LEAST_CLOSE_MS));
    if (reason === 'restart') await within(left(LAST_WORDS_MS), tell('gateway-restarting', { reason }));
    await within(left(LAST_WORDS_MS), tell('gateway-stopping', { reason }));
    await teller.settle(left(LEAST_CLOSE_MS));
    await hooks.drain(left(LEAST_CLOSE_MS));
    await plugins.stop();
    await within(left(LAST_WORDS_MS), tell('gateway-stopped', { reason, context: hookContext }));
  };
  const closeState = async () => {
    await store.close();
    await lock.release();
  };
  const pluginPart: GatewayPart = {
    name: 'the plugins',
    reads: ['plugins'],
    sharesReading: ['agents.list', 'agents.defaults.workspace'],
    open: () => plugins.load(),
    reopen: (changed) => plugins.apply(changed),
    close: ({ left }) => plugins.close(left()),
  };
  const platformPart: GatewayPart = {
    name: 'the chat platforms',
    reads: ['channels'],
    open: () => platforms.open(config),
    reopen: (changed) => platforms.apply(changed.config),
    close: () => platforms.close(),
  };
  const contextPart: GatewayPart = {
    name: 'the context',
    reads: LIVE_CONTEXT_SETTINGS,
    files: () => engine.handlerFiles(),
    reopen: async (changed) => engine.apply({ ...changed.config, agents: config.agents }),
  };
  const agentPart: GatewayPart = {
    name: 'the agents',
    sharesReading: ['agents.list'],
    follows: (path, start, changed) => path === 'agents.list' && isOnlyAddition(start, changed),
    reopen: async (changed) => {
      if (!agents.apply(changed.config)) return;
      engine.apply({ ...engine.config, agents: config.agents });
      workspaces.prepareAll();
    },
  };
  const limitPart: GatewayPart = {
    name: 'the limits on spending',
    reads: ['limits'],
    reopen: async (changed) => {
      for (const sentence of spendLimits.apply(changed.config)) warn(sentence);
    },
  };
  const webhookPart: GatewayPart = {
    name: 'the webhooks',
    reads: WEBHOOK_SETTINGS,
    reopen: async (changed) => webhooks.apply(changed.config),
  };
  const parts: readonly GatewayPart[] = [
    { name: 'the state directory', close: closeState },
    { name: 'the recorder', close: () => recorder.drain() },
    {
      name: 'traces and metrics',
      open: () => telemetry.open(),
      close: ({ left }) => telemetry.close(Math.min(left(LEAST_CLOSE_MS), LAST_WORDS_MS)),
    },
    chatRecords,
    { name: 'the workspaces', open: () => workspaces.prepareAll(), close: () => workspaces.settle() },
    agentPart,
    contextPart,
    limitPart,
    recordLimits({ retention, recorder }),
    webhookPart,
    // Plugins are opened before a message can come in, because their gates decide about it.
    pluginPart,
    {
      name: 'the channels',
      open: async () => {
        for (const channel of delivery.fixed) await channel.open(admission.portFor(channel));
      },
      close: async () => {
        for (const channel of delivery.fixed) await channel.close();
      },
    },
    ...(options.isTrial ? [] : [platformPart]),
    // This is told when every run has ended and every answer was handed over.
    { name: 'the telling of the stop', close: farewell },
    { name: 'the ends of jobs', open: () => schedule.changes.open(), close: () => schedule.changes.close() },
    {
      name: 'the drafts',
      open: () => delivery.drafts.open(),
      close: async () => {
        delivery.typing.close();
        await delivery.drafts.close();
      },
    },
    { name: 'the outbox', open: () => outbox.open(), close: ({ left }) => outbox.close(left(LEAST_CLOSE_MS)) },
    {
      name: 'the live events',
      open: () =>
        shown((event) => {
          sockets.web.watch(event);
          sockets.cli.watch(event);
          delivery.watch(event);
        }),
      close: () => live.close(new GatewayNotReadyError({ state: 'draining' })),
    },
    { name: 'the MCP servers', close: () => mcp.close() },
    {
      name: 'the commands in the background',
      open: () => drafting.exec.processes.open(),
      close: () => drafting.exec.processes.close(),
    },
    {
      name: 'the ends that were not told',
      // Older ends are told before new runs end. The gateway does not wait for it.
      open: () => {
        void tellForgottenEnds(runParts);
        void sessions.tellForgottenEnds();
      },
    },
    // Their time goes on while the lanes drain, so it is closed after them.
    { name: 'the time of children', close: ({ left }) => children.close(left(LEAST_CLOSE_MS)) },
    {
      name: 'the lanes',
      open: () => lanes.open(new RunWork(runParts)),
      close: ({ left }) => lanes.close(left()),
    },
    { name: 'the suspended runs', open: () => suspensions.open() },
    { name: 'the approvals', open: () => approvals.open(), close: () => approvals.close() },
    { name: 'the children', open: () => children.open() },
    { name: 'the waits', open: () => waits.open(), close: () => waits.close() },
    { name: 'the schedule', open: () => schedule.open(), close: () => schedule.close() },
    ...(options.isTrial
      ? []
      : [
          // Services may use everything that is open by now. They are stopped together with the telling of the stop,
          // after the last run.
          { name: 'the services of plugins', open: () => plugins.start() },
          { name: 'the configuration', open: () => configWatch.open(), close: () => configWatch.close() },
        ]),
    { name: 'the watch over pauses', open: () => pauseWatch.open(), close: () => pauseWatch.close() },
    ...(config.recorder?.enabled === false
      ? []
      : [{ name: 'the receipts of prompts', open: () => receiptIndex.open(), close: () => receiptIndex.close() }]),
    { name: 'the words of conversations', open: () => wordIndex.open(), close: () => wordIndex.close() },
    { name: 'the housekeeping', open: () => housekeeping.open(), close: () => housekeeping.close() },
    { name: 'the warnings about handlers', close: () => contextWarnings.close() },
  ];
  const close = await openParts(parts, warn);

  return {
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
      await lock.writeOwner({ pid: process.pid, url: address });
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
