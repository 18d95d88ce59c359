// The running gateway, as its API sees it. Every method is one thing that a person or a client may ask for; how messages
// travel is in `receive-message.ts` and `agent/run.ts`.

import { setTimeout as sleep } from 'node:timers/promises';
import { CLIENT_GONE } from '../agent/client-gone.ts';
import { type InjectionRequest, queueInjection } from '../agent/queue-injection.ts';
import type { RunParts } from '../agent/run-parts.ts';
import type { Channel, ReceiveResult } from '../channels/channel.ts';
import { replayDeadLetter } from '../delivery/replay-dead-letter.ts';
import type { BeforeInstallEvent, InstallHookContext } from '../hooks/lifecycle-hooks.ts';
import type { Lanes } from '../lanes/lanes.ts';
import type { ApprovalDecision } from '../protocol/approval-decision.ts';
import type { Inbound } from '../protocol/inbound.ts';
import type { SessionEndReason } from '../protocol/live-event.ts';
import { newId } from '../protocol/new-id.ts';
import { timeLimit } from '../protocol/time-limit.ts';
import { VERSION } from '../protocol/version.ts';
import { planForget } from '../recorder/prune-captures.ts';
import type { Route } from '../routing/resolve-route.ts';
import { planSessionDeletion, planSessionEnd } from '../sessions/end-session.ts';
import { PreconditionFailedError } from '../store/errors.ts';
import type { Store } from '../store/store.ts';
import type { ApprovalRow, DeadLetterRow, RunRow, SessionRow, TriggerPayload } from '../store/tables.ts';
import type { McpServerStatus } from '../tools/mcp/mcp-server.ts';
import type { Approvals } from './approvals.ts';
import { checkInstall, type InstallVerdict } from './check-install.ts';
import { UnknownDeadLetterError, UnknownRunError } from './errors.ts';
import type {
  AgentStatus,
  ExplainToolsRequest,
  GatewayPort,
  GatewayStatus,
  JobPort,
  MethodPort,
  PluginPort,
  Preview,
  PreviewRequest,
  ReceiveOptions,
  RouteExplanation,
  ToolsExplanation,
} from './gateway-port.ts';
import type { HookPort } from './hook-control.ts';
import type { LiveEvents, LiveListener } from './live-events.ts';
import type { ShownSession } from './plugins/session-extensions.ts';
import { previewMessage } from './preview-message.ts';
import { type ReceiveParts, receiveMessage } from './receive-message.ts';
import { sessionHookContext } from './session-hook-context.ts';

export interface GatewayParts {
  readonly run: RunParts;
  readonly receive: ReceiveParts;
  readonly lanes: Lanes;
  readonly jobs: JobPort;
  readonly methods: MethodPort;
  readonly plugins: PluginPort;
  readonly hooks: HookPort;
  readonly live: LiveEvents;
  readonly approvals: Approvals;
  readonly channels: readonly Channel[];
  readonly route: (inbound: Inbound) => Route;
  readonly agents: () => readonly AgentStatus[];
  readonly explainTools: (request: ExplainToolsRequest) => Promise<ToolsExplanation>;
  readonly mcpServers: () => Promise<readonly McpServerStatus[]>;
  readonly warnings: () => readonly string[];
  readonly stateDir: string;
  readonly startedAt: number;
  readonly ttlMs: number;
  /** Undefined while nothing listens. */
  readonly url: () => string | undefined;
  /** Removes what was written down of these sessions outside of the store. */
  readonly forgetRecords: (sessionIds: readonly string[]) => Promise<void>;
  /** Ends its commands in the background, and removes what commands printed. */
  readonly forgetProcesses: (sessionKey: string) => Promise<void>;
  /** Plugins release what they hold for a session that was deleted. */
  readonly letPluginsGo: (sessionKey: string) => Promise<void>;
  /** Session rows with what plugins show of them. */
  readonly showSessions: (sessions: readonly SessionRow[]) => Promise<readonly ShownSession[]>;
}

/** A run that is stopped because its session is deleted has so long to end. */
const DELETION_WAIT_MS = 5_000;

export class Gateway implements GatewayPort {
  readonly #parts: GatewayParts;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
  }

  get store(): Store {
    return this.#parts.run.store;
  }

  get methods(): MethodPort {
    return this.#parts.methods;
  }

  get plugins(): PluginPort {
    return this.#parts.plugins;
  }

  get hooks(): HookPort {
    return this.#parts.hooks;
  }

  get jobs(): JobPort {
    return this.#parts.jobs;
  }

  receive(inbound: Inbound, options?: ReceiveOptions): Promise<ReceiveResult> {
    return receiveMessage(this.#parts.receive, inbound, options);
  }

  subscribe(listener: LiveListener): () => void {
    return this.#parts.live.subscribe(listener);
  }

  async waitForRun(runId: string, signal?: AbortSignal): Promise<RunRow> {
    const aside = new AbortController();
    const watched = AbortSignal.any([aside.signal, ...(signal ? [signal] : [])]);
    const ended = this.#parts.live.next((event) => event.type === 'run-end' && event.runId === runId, watched);
    // It may be over already; and nobody waits for the event then.
    ended.catch(() => {});
    try {
      const before = await this.#findRun(runId);
      if (before && isOver(before)) return before;
      if (!before && (await this.store.count('inbox', { runId })) === 0) throw new UnknownRunError({ runId });
      await ended;
      const after = await this.#findRun(runId);
      if (!after) throw new UnknownRunError({ runId });
      return after;
    } finally {
      aside.abort();
    }
  }

  async stopRun(runId: string, reason: string = CLIENT_GONE): Promise<boolean> {
    const [trigger] = await this.store.select('inbox', { where: { runId }, orderBy: [['seq', 'asc']], limit: 1 });
    if (!trigger || trigger.status === 'done' || trigger.status === 'dead') return false;
    if (trigger.status === 'queued' && (await this.#takeOut(runId, trigger.sessionKey, trigger.payload, reason)))
      return true;
    const stopRunning = () =>
      this.#parts.lanes.running.some((lane) => lane.runId === runId) &&
      this.#parts.lanes.stop(trigger.sessionKey, reason);
    // One that lies down to wait counts as running and hears nothing any more; one that waits may go on while we look.
    const isRunning = stopRunning();
    return (await this.#parts.approvals.cancel(runId, reason)) || isRunning || stopRunning();
  }

  async status(): Promise<GatewayStatus> {
    const { lanes, channels } = this.#parts;
    const { store } = this;
    const [waiting, approvals, queued, failed, deadIn, deadOut, sessions, schedule] = await Promise.all([
      lanes.waiting(),
      store.count('approvals', { status: 'waiting' }),
      store.count('outbox', { status: 'queued' }),
      store.count('outbox', { status: { in: ['failed', 'dead'] } }),
      store.count('deadLetters', { direction: 'in' }),
      store.count('deadLetters', { direction: 'out' }),
      store.count('sessions', { endedAt: null }),
      this.jobs.status(),
    ]);
    return {
      version: VERSION,
      url: this.#parts.url() ?? '',
      startedAt: this.#parts.startedAt,
      store: store.description,
      stateDir: this.#parts.stateDir,
      agents: this.#parts.agents(),
      channels: channels.map(({ id, guarantee, maxTextLength }) => ({ id, guarantee, maxTextLength })),
      running: lanes.running,
      waiting,
      approvals,
      outbox: { queued, failed },
      deadLetters: { in: deadIn, out: deadOut },
      sessions,
      schedule,
      warnings: this.#parts.warnings(),
    };
  }

  async preview(request: PreviewRequest): Promise<Preview> {
    const { run, route } = this.#parts;
    return previewMessage({ draft: run, route, commands: run.commands, now: run.now }, request);
  }

  async endSession(sessionKey: string, reason: SessionEndReason): Promise<boolean> {
    const [session] = await this.store.select('sessions', { where: { sessionKey, endedAt: null }, limit: 1 });
    if (!session) return false;
    const { run } = this.#parts;
    const endedAt = run.now();
    const { sessionId, agentId, startedAt } = session;
    const context = sessionHookContext(session, run.context.workspaceDirOf(agentId), reason);
    const entries = await this.store.select('transcript', { where: { sessionId }, orderBy: [['position', 'asc']] });
    const messages = entries.map(({ message }) => message);
    if (reason === 'reset' || reason === 'new') {
      await run.tell('session-resetting', { reason, messages, context });
      await run.tell('command-given', { command: reason, sessionKey, previous: session, source: 'api' });
    }
    try {
      await this.store.commit(planSessionEnd(session, reason, endedAt), { site: 'session' });
    } catch (error) {
      // Somebody else ended it meanwhile.
      if (error instanceof PreconditionFailedError) return false;
      throw error;
    }
    const durationMs = run.now() - startedAt;
    await run.tell('session-ended', { session, reason, messageCount: entries.length, durationMs, context });
    return true;
  }

  async deleteSession(sessionKey: string): Promise<boolean> {
    const sessions = await this.store.select('sessions', { where: { sessionKey } });
    if (sessions.length === 0) return false;
    await this.#stopAll(sessionKey, 'its session was deleted');
    await this.endSession(sessionKey, 'deleted');
    const ended = await this.store.select('sessions', { where: { sessionKey } });
    const runs = await this.store.select('runs', { where: { sessionKey } });
    const runIds = runs.filter(isOver).map(({ runId }) => runId);
    const deletion = planSessionDeletion(ended, runIds, this.#parts.run.now());
    await this.#parts.forgetRecords(ended.map(({ sessionId }) => sessionId));
    await this.#parts.forgetProcesses(sessionKey);
    await this.store.commit(
      [
        ...(await planForget(this.store, runIds)),
        ...deletion,
        { remove: 'deadLetters', where: { sessionKey } },
        { remove: 'injections', where: { sessionKey } },
        { remove: 'pluginState', where: { sessionKey } },
        { remove: 'processes', where: { sessionKey } },
      ],
      { site: 'session' },
    );
    await this.#parts.letPluginsGo(sessionKey);
    return true;
  }

  /** Text for a session's next run; false when the same was queued before. */
  async queueInjection(request: InjectionRequest): Promise<boolean> {
    return (await queueInjection(this.#parts.run, request)).enqueued;
  }

  showSessions(sessions: readonly SessionRow[]): Promise<readonly ShownSession[]> {
    return this.#parts.showSessions(sessions);
  }

  async replayDeadLetter(id: string): Promise<{ runId: string }> {
    const [letter] = await this.store.select('deadLetters', { where: { id }, limit: 1 });
    if (!letter) throw new UnknownDeadLetterError({ id });
    return letter.direction === 'in' ? this.#replayInbound(letter) : this.#replayOutbound(letter);
  }

  async purgeDeadLetters(ids: readonly string[] | 'all'): Promise<number> {
    const where = ids === 'all' ? {} : { id: { in: ids } };
    const { changed } = await this.store.commit([{ remove: 'deadLetters', where }], { site: 'dead-letter-answer' });
    return changed[0] ?? 0;
  }

  answerApproval(id: string, decision: ApprovalDecision, by: string): Promise<ApprovalRow> {
    return this.#parts.approvals.answer(id, decision, { by });
  }

  revokeRule(id: string): Promise<void> {
    return this.#parts.approvals.revokeRule(id);
  }

  async explainRoute(inbound: Inbound): Promise<RouteExplanation> {
    const { agentId, sessionKey, rules } = this.#parts.route(inbound);
    return { agentId, sessionKey, rules };
  }

  explainTools(request: ExplainToolsRequest): Promise<ToolsExplanation> {
    return this.#parts.explainTools(request);
  }

  checkInstall(event: BeforeInstallEvent, context: InstallHookContext): Promise<InstallVerdict> {
    return checkInstall(this.#parts.receive.hooks, event, context);
  }

  mcpServers(): Promise<readonly McpServerStatus[]> {
    return this.#parts.mcpServers();
  }

  async #findRun(runId: string): Promise<RunRow | undefined> {
    const [run] = await this.store.select('runs', { where: { runId }, limit: 1 });
    return run;
  }

  /** The waiting ones first, or the end of the running one would begin the next. Returns when they are over or the time is. */
  async #stopAll(sessionKey: string, reason: string): Promise<void> {
    const patience = timeLimit(DELETION_WAIT_MS, () => new Error('The time for stopping runs is over.'));
    const where = { sessionKey, status: { in: ['queued', 'claimed'] }, kind: { not: 'approval' } };
    const triggers = await this.store.select('inbox', { where, orderBy: [['seq', 'desc']] });
    for (const { runId } of triggers) {
      if (!(await this.stopRun(runId, reason))) continue;
      await this.waitForRun(runId, patience.signal).catch(() => {});
      // A run has something to write down after it told its end.
      const isRunning = () => this.#parts.lanes.running.some((lane) => lane.runId === runId);
      while (isRunning() && !patience.signal.aborted) await sleep(5);
    }
    patience.clear();
  }

  /** A message that nobody has taken up yet. False when a lane was quicker. */
  async #takeOut(runId: string, sessionKey: string, payload: TriggerPayload | null, reason: string): Promise<boolean> {
    const now = this.#parts.run.now();
    try {
      await this.store.commit(
        [
          { update: 'inbox', where: { runId, status: 'queued' }, set: { status: 'done' }, expect: 1 },
          {
            insert: 'runs',
            row: {
              runId,
              sessionKey,
              agentId: payload?.agentId ?? '',
              sessionId: null,
              status: 'stopped',
              claim: 0,
              progressClaim: 0,
              startedAt: now,
              endedAt: now,
              outcome: { error: `Stopped before it began: ${reason}.`, errorCode: 'ATRIUM_RUN_STOPPED' },
              observed: true,
            },
          },
        ],
        { site: 'control' },
      );
    } catch (error) {
      if (error instanceof PreconditionFailedError) return false;
      throw error;
    }
    void this.#parts.run.tell('run-ended', { runId, sessionKey, status: 'stopped' });
    return true;
  }

  async #replayInbound({ id, runId: replayOf, sessionKey, payload }: DeadLetterRow): Promise<{ runId: string }> {
    const now = this.#parts.run.now();
    const runId = newId('run', now);
    const { resumes = 'message', ...trigger } = payload as unknown as TriggerPayload;
    await this.store.commit(
      [
        { remove: 'deadLetters', where: { id }, expect: 1 },
        {
          insert: 'inbox',
          row: {
            runId,
            sessionKey,
            // Nobody waits on a connection for what a client asked then.
            kind: resumes === 'api' ? 'message' : resumes,
            dedupeKey: null,
            fingerprint: null,
            payload: { ...trigger, replayOf },
            acceptedAt: now,
            status: 'queued',
          },
        },
      ],
      { site: 'dead-letter-answer' },
    );
    this.#parts.lanes.wake(sessionKey);
    return { runId };
  }

  async #replayOutbound(letter: DeadLetterRow): Promise<{ runId: string }> {
    const { runId } = letter;
    const sent = await this.store.select('outbox', { where: { runId } });
    const writes = replayDeadLetter(letter, {
      partsOfRun: sent.map(({ part }) => part),
      now: this.#parts.run.now(),
      ttlMs: this.#parts.ttlMs,
    });
    await this.store.commit(writes, { site: 'dead-letter-answer' });
    this.#parts.run.delivery.wake();
    return { runId };
  }
}

function isOver({ status }: RunRow): boolean {
  return status !== 'running' && status !== 'suspended';
}
