// The composition root: the only place that builds things. Reading it downward is reading what a gateway consists of;
// what each part does is in its own folder.

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFrame } from '../agent/request-frame.ts';
import { run } from '../agent/run.ts';
import type { Answer, RunParts } from '../agent/run-parts.ts';
import { tellForgottenEnds } from '../agent/tell-forgotten-ends.ts';
import { createApiChannel } from '../channels/api/api-channel.ts';
import type { Channel } from '../channels/channel.ts';
import { CliChannel } from '../channels/cli/cli-channel.ts';
import { WebChannel } from '../channels/web/web-channel.ts';
import { listAgentIds, resolveAgentDefaults, resolveDefaultAgentId } from '../config/agents.ts';
import { debugLogSettingsOf, trajectoryPlaceOf } from '../config/debug-logs.ts';
import type { Environment } from '../config/environment.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { formatModelRef } from '../config/model-choice.ts';
import { policyVersionOf } from '../config/policy-version.ts';
import { resolveTimezone } from '../config/timezone.ts';
import { Outbox } from '../delivery/outbox.ts';
import { planDelivery } from '../delivery/plan-delivery.ts';
import { HookRunner } from '../hooks/runner.ts';
import { EmbeddedLanes } from '../lanes/embedded-lanes.ts';
import { GatewayNotReadyError } from '../protocol/errors.ts';
import { AppendedFiles } from '../recorder/appended-files.ts';
import { captureRequest, readCapture } from '../recorder/capture.ts';
import { DebugLogs } from '../recorder/debug-logs.ts';
import { HookRecordSink } from '../recorder/hook-record-sink.ts';
import { Recorder } from '../recorder/recorder.ts';
import { Trajectory } from '../recorder/trajectory.ts';
import { SILENT_CHANNEL } from '../schedule/deliver-target.ts';
import { parseFailpoint, withFailpoints } from '../store/failpoints.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import { acquireStateLock, type StateLock } from '../store/state-lock.ts';
import type { SessionMail } from '../tools/sessions-send.ts';
import type { Tool } from '../tools/tool.ts';
import { Approvals } from './approvals.ts';
import { approveCommand } from './approve-command.ts';
import { ContextWarnings } from './context-warnings.ts';
import { ControlCommands } from './control-commands.ts';
import { createDraftParts } from './draft-parts.ts';
import { explainTools } from './explain-tools.ts';
import { Gateway } from './gateway.ts';
import type { AgentStatus } from './gateway-port.ts';
import { giveUp } from './give-up.ts';
import { Housekeeping } from './housekeeping.ts';
import { createInternalHooks } from './internal-hooks.ts';
import { LiveEvents } from './live-events.ts';
import { openMcp } from './open-mcp.ts';
import { createSchedule, type GatewaySchedule } from './open-schedule.ts';
import { outboxMailbox } from './outbox-mailbox.ts';
import type { ReceiveParts } from './receive-message.ts';
import { runRecorder } from './run-recorder.ts';
import { tellShutdown } from './tell-shutdown.ts';
import { Workspaces } from './workspaces.ts';

export interface GatewayOptions {
  readonly environment: Environment;
  readonly loaded: LoadedConfig;
  /** One sentence for the operator. */
  readonly warn: (sentence: string) => void;
  /** Registers the handlers that a program brings. */
  readonly register?: ((hooks: HookRunner) => void) | undefined;
  /** Besides web, cli and api. */
  readonly channels?: readonly Channel[] | undefined;
  /** Besides those that come with the product. */
  readonly tools?: readonly Tool[] | undefined;
  readonly modules?: (() => Promise<Readonly<Record<string, unknown>>>) | undefined;
  readonly now?: (() => number) | undefined;
  /** How a run waits before it asks a busy provider again. */
  readonly sleep?: RunParts['sleep'] | undefined;
}

export interface OpenedGateway {
  readonly gateway: Gateway;
  readonly hooks: HookRunner;
  readonly lock: StateLock;
  readonly sockets: { readonly web: WebChannel; readonly cli: CliChannel };
  readonly schedule: GatewaySchedule;
  /** Says where it listens, once it does. */
  listensAt(url: string): Promise<void>;
  /** Loads what the first message needs. */
  warm(): Promise<void>;
  /** Finishes what is running within the budget, leaves the rest for the next start, and loses nothing. */
  close(budgetMs: number): Promise<void>;
}

const MINUTE_MS = 60_000;

export async function openGateway(options: GatewayOptions): Promise<OpenedGateway> {
  const { environment, loaded, warn, now = Date.now } = options;
  const { config } = loaded;
  const { stateDir } = environment;
  const defaults = resolveAgentDefaults(config);
  const startedAt = now();
  let url: string | undefined;

  // What is kept.
  const lock = await acquireStateLock(stateDir);
  const opened = await openSqliteStore({ file: join(stateDir, 'atrium', 'atrium.db') }).catch(async (error) => {
    await lock.release();
    throw error;
  });
  const failpoints = environment.failpoints.map(parseFailpoint);
  const store =
    failpoints.length === 0 ? opened : withFailpoints(opened, failpoints, () => process.kill(process.pid, 'SIGKILL'));

  // What is told and recorded.
  const live = new LiveEvents(warn);
  const files = new AppendedFiles({ warn });
  const trajectoryPlace = trajectoryPlaceOf(environment, config);
  const recorder = new Recorder({
    trajectory: new Trajectory({ ...trajectoryPlace, files }),
    debugLogs: new DebugLogs(debugLogSettingsOf(environment), files),
    hookRecords: new HookRecordSink({ store, warn }),
    now,
  });
  const hooks = new HookRunner({ record: (call) => recorder.hookCalled(call), now });
  options.register?.(hooks);

  // What an agent reads, and who answers.
  const sessionMail: SessionMail = {
    deliver: (inbound) => gateway.receive(inbound),
    waitFor: (runId, signal) => gateway.waitForRun(runId, signal),
  };
  const mcp = openMcp({ ...options, store, now });
  const cronJobs = () => schedule.toolJobs;
  const drafting = createDraftParts({ ...options, store, hooks, now, mcp, sessionMail, cronJobs });
  const { engine, models, route } = drafting;
  const { workspaceDirOf } = drafting.parts.context;
  const contextWarnings = new ContextWarnings(warn);
  const workspaces = new Workspaces({ environment, config, now, warn });
  const modelsOf = (agentId: string) => models.candidates(agentId).map(formatModelRef);
  const internalHook = createInternalHooks({ engine, config, now, warn });

  // Where answers go.
  const socketPorts = {
    mailbox: outboxMailbox(store),
    stop: (sessionKey: string) =>
      void approvals
        .stop(sessionKey, 'somebody pressed stop')
        .catch((error: Error) => warn(`${sessionKey} could not be stopped: ${error.message}`)),
    now,
  };
  const sockets = { web: new WebChannel(socketPorts), cli: new CliChannel(socketPorts) };
  const channels: readonly Channel[] = [sockets.web, sockets.cli, createApiChannel(), ...(options.channels ?? [])];
  const channelOf = (id: string) => channels.find((channel) => channel.id === id);
  const ttlMs = (config.delivery?.ttlMinutes ?? 1_440) * MINUTE_MS;
  const plan = async (answer: Answer) => {
    if (answer.surface.channel === SILENT_CHANNEL) return [];
    return (await planDelivery(answer, { hooks, channel: channelOf(answer.surface.channel), now, ttlMs })).rows;
  };
  const outbox = new Outbox({
    store,
    channels: channelOf,
    hooks,
    now,
    emit: live.emit,
    maxAttempts: config.delivery?.maxAttempts ?? 8,
    warn,
  });

  // How a message becomes a run.
  const told = runRecorder(recorder);
  const runParts: RunParts = {
    ...drafting.parts,
    context: {
      workspaceDirOf,
      compose: async (request) => {
        await workspaces.ready(request.agentId);
        return engine.compose(request);
      },
    },
    delivery: { plan, wake: () => outbox.wake() },
    approvals: {
      ttlMs: (config.approvals?.ttlMinutes ?? 30) * MINUTE_MS,
      timeoutBehavior: config.approvals?.timeoutBehavior ?? 'deny',
      policyVersionOf: (agentId) => policyVersionOf(config, agentId),
    },
    recorder: {
      ...told,
      contextCompiled: (run, composition) => {
        contextWarnings.look(run.agentId, composition.report);
        told.contextCompiled(run, composition);
      },
    },
    capture: captureRequest,
    readCapture: async (runId, call) => {
      const capture = await readCapture(store, runId, call);
      if (capture?.body === undefined) return undefined;
      const { provider, model, headers, body } = capture;
      return { provider, model, wire: { url: capture.url, headers, body } };
    },
    internalHook,
    emit: live.emit,
    warn,
    now,
    upSince: startedAt,
    sleep: options.sleep ?? ((ms, signal) => sleep(ms, undefined, { signal })),
    settings: {
      maxToolRounds: defaults.maxToolRounds ?? 50,
      runTimeoutMs: (defaults.timeoutSeconds ?? 600) * 1_000,
      toolTimeoutMs: 120_000,
    },
  };
  const lanes = new EmbeddedLanes({ store, limit: defaults.maxConcurrent ?? 16, now, warn });
  const approvals = new Approvals({
    store,
    planDelivery: plan,
    wakeOutbox: () => outbox.wake(),
    wakeLane: (sessionKey) => lanes.wake(sessionKey),
    stopLane: (sessionKey, reason) => lanes.stop(sessionKey, reason),
    emit: live.emit,
    subscribe: (listener) => live.subscribe(listener),
    now,
    warn,
  });
  const approvers = config.approvals?.approvers ?? [];
  const control = new ControlCommands({
    store,
    stop: (sessionKey, reason) => {
      void internalHook('command', 'stop', sessionKey, {});
      return approvals.stop(sessionKey, reason);
    },
    approve: (args, place) => approveCommand({ store, approvals, approvers, now }, args, place),
    running: () => lanes.running,
    modelsOf,
    deliveryOf: (id) => {
      const guarantee = channelOf(id)?.guarantee;
      return guarantee && `${guarantee.level}: ${guarantee.because}`;
    },
    readFrame: (runId) => readFrame(runParts, runId),
    timezone: resolveTimezone(config, environment),
    now,
  });
  const receive: ReceiveParts = {
    store,
    hooks,
    route,
    control,
    planDelivery: plan,
    internalHook,
    emit: live.emit,
    wakeLane: (sessionKey) => lanes.wake(sessionKey),
    wakeOutbox: () => outbox.wake(),
    now,
  };
  const agents = (): readonly AgentStatus[] =>
    listAgentIds(config).map((agentId) => ({
      agentId,
      isDefault: agentId === resolveDefaultAgentId(config),
      workspaceDir: workspaceDirOf(agentId),
      model: modelsOf(agentId)[0] ?? 'none',
      fallbacks: modelsOf(agentId).slice(1),
    }));
  const schedule = createSchedule({
    store,
    hooks,
    config,
    environment,
    channels: channels.map(({ id }) => id),
    workspaceDirOf,
    subscribe: (listener) => live.subscribe(listener),
    wakeLane: (sessionKey) => lanes.wake(sessionKey),
    now,
    warn,
  });
  const gateway = new Gateway({
    jobs: schedule.jobs,
    run: runParts,
    receive,
    lanes,
    live,
    approvals,
    channels,
    route,
    agents,
    mcpServers: () => mcp.statuses(),
    explainTools: (request) => explainTools({ ...drafting, config }, request),
    warnings: () => [
      ...loaded.warnings.map(({ message }) => message),
      ...models.problems(),
      ...drafting.exec.problems,
      ...drafting.toolWarnings,
      ...mcp.warnings,
      ...workspaces.warnings,
      ...contextWarnings.warnings,
    ],
    stateDir,
    startedAt,
    ttlMs,
    url: () => url,
    forgetRecords: (sessionIds) => recorder.forgetSessions(sessionIds),
    forgetProcesses: (sessionKey) => drafting.exec.processes.forget(sessionKey),
  });

  // Everything begins.
  live.subscribe((event) => {
    sockets.web.watch(event);
    sockets.cli.watch(event);
  });
  live.subscribe((event) => {
    if (event.type !== 'delivery-end') return;
    const { runId, sessionKey, part, outcome, text, surface } = event;
    void internalHook('message', 'sent', sessionKey, {
      to: surface.peer.id,
      content: text,
      success: outcome === 'sent',
      channelId: surface.channel,
      accountId: surface.accountId,
      conversationId: surface.peer.id,
    });
    recorder.deliveryEnded({ runId, sessionKey }, { part, outcome, channel: surface.channel, characters: text.length });
  });
  for (const channel of channels) await channel.open({ receive: (inbound) => gateway.receive(inbound) });
  workspaces.prepareAll();
  await outbox.open();
  await drafting.exec.processes.open();
  // Before new runs end, whose observers are told anyway.
  void tellForgottenEnds(runParts);
  await lanes.open({
    run: (claimed) => run(runParts, claimed),
    giveUp: (claimed) =>
      giveUp(
        { store, hooks, planDelivery: plan, wakeOutbox: () => outbox.wake(), workspaceDirOf, emit: live.emit, now },
        claimed,
      ),
  });
  await approvals.open();
  const housekeeping = new Housekeeping({
    store,
    now,
    warn,
    trajectoryDir: trajectoryPlace.dir,
    limits: config.recorder?.captures,
  });
  housekeeping.open();
  await schedule.open();

  return {
    gateway,
    hooks,
    lock,
    sockets,
    schedule,
    listensAt: async (address) => {
      url = address;
      await lock.writeOwner({ pid: process.pid, url: address });
      await hooks.observeAndWait('gateway_start', { port: Number(new URL(address).port) }, {
        port: Number(new URL(address).port),
      } as never);
      void internalHook('gateway', 'startup', '', {});
    },
    warm: async () => {
      await models.warm();
    },
    close: async (budgetMs) => {
      const deadline = now() + budgetMs;
      const left = () => Math.max(0, deadline - now());
      housekeeping.close();
      await schedule.close();
      await approvals.close();
      await lanes.close(left());
      drafting.exec.processes.close();
      await mcp.close();
      live.close(new GatewayNotReadyError('draining'));
      await outbox.close(Math.max(left(), 500));
      await tellShutdown(runParts, left());
      await internalHook('gateway', 'shutdown', '', { reason: 'shutdown' });
      await hooks.drain(Math.max(left(), 500));
      await hooks.observeAndWait('gateway_stop', { reason: 'shutdown' }, {});
      for (const channel of channels) await channel.close();
      await workspaces.settle();
      await recorder.drain();
      await store.close();
      await lock.release();
    },
  };
}
