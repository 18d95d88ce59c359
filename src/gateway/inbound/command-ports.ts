// What the gateway does for the commands that act at once: /stop, /approve, /subagents, /export-trajectory, /status, /model, /context. They change only what
// they are asked to stop or answer, and they give text for a chat.

import { CONTEXT_USAGE, formatContextView, parseContextView } from '../../agent/commands/context-view.ts';
import { formatStatus, type StatusFacts } from '../../agent/commands/status.ts';
import { factsOf } from '../../agent/compaction/compaction-facts.ts';
import type { RequestFrame } from '../../agent/request-frame.ts';
import { describeLimitsFor } from '../../agent/spend/describe-limits-for.ts';
import type { CommandList, CommandPlace, CommandPorts } from '../../commands/chat-command.ts';
import type { RunningLane } from '../../lanes/lanes.ts';
import { countOf } from '../../protocol/count-of.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import { lastDailyBoundary } from '../../protocol/last-daily-boundary.ts';
import { isSubagentSessionKey } from '../../protocol/session-key.ts';
import type { SpendSettings } from '../../protocol/spend-limit.ts';
import { VERSION } from '../../protocol/version.ts';
import { sessionModelOf } from '../../sessions/session-model.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { Store } from '../../store/store.ts';
import type { SessionRow } from '../../store/tables.ts';
import type { ExportedBundle } from '../bundle/export-session.ts';
import { readRequestMeasure } from '../services/read-request-spans.ts';
import { sumUsage } from '../services/usage.ts';

export interface CommandPortsParts {
  readonly store: Store;
  readonly commands: CommandList;
  readonly stop: (place: CommandPlace, reason: string) => Promise<boolean>;
  readonly approve: CommandPorts['approve'];
  readonly subagents: CommandPorts['subagents'];
  readonly exportSession: (sessionKey: string) => Promise<ExportedBundle>;
  readonly running: () => readonly RunningLane[];
  /** `provider/model`, first choice first. */
  readonly modelsOf: (agentId: string, asked?: readonly string[]) => readonly string[];
  /** Rejects with an AtriumError when the model of this name cannot be used. */
  readonly checkModel: (name: string, agentId: string) => Promise<void>;
  /** The entries of the list that limits which models may be chosen; undefined when any may be. */
  readonly allowedModels: (agentId: string) => readonly string[] | undefined;
  readonly chooseModel: Sessions['chooseModel'];
  /** The delivery promise of a channel, in one sentence. */
  readonly deliveryOf: (channel: string) => string | undefined;
  /** The limits on spending as they are now. */
  readonly spend: () => SpendSettings | undefined;
  readonly readFrame: (runId: string) => Promise<RequestFrame | undefined>;
  /** The time zone in which the agent's day begins. */
  readonly timezone: string;
  readonly now: () => number;
}

/** The number of approvals that /status shows; /approve lists all of them. */
const MOST_APPROVALS = 5;

export class GatewayCommandPorts implements CommandPorts {
  readonly #parts: CommandPortsParts;

  constructor(parts: CommandPortsParts) {
    this.#parts = parts;
  }

  get people(): CommandList['people'] {
    return this.#parts.commands.people;
  }

  list(): ReturnType<CommandList['list']> {
    return this.#parts.commands.list();
  }

  stop(place: CommandPlace): Promise<boolean> {
    return this.#parts.stop(place, 'a person said /stop');
  }

  async countWorkingChildren({ sessionKey }: CommandPlace): Promise<number> {
    // The stop of a child takes its descendants along.
    if (isSubagentSessionKey(sessionKey)) return 0;
    return this.#parts.store.count('children', { parentKey: sessionKey, endedAt: null, ending: null });
  }

  approve(args: readonly string[], place: CommandPlace): Promise<string> {
    return this.#parts.approve(args, place);
  }

  subagents(rest: string, place: CommandPlace): Promise<string> {
    return this.#parts.subagents(rest, place);
  }

  async exportTrajectory({ sessionKey }: CommandPlace): Promise<string> {
    try {
      const { dir, runs, missing } = await this.#parts.exportSession(sessionKey);
      const gone =
        missing.length === 0
          ? ''
          : ` What is not kept any more: ${countOf(missing.length, 'thing')}, named in its manifest.`;
      return `This session is written to ${dir}: ${countOf(runs, 'run')}, without what looks like a secret.${gone}`;
    } catch (error) {
      if (!isAtriumError(error)) throw error;
      return error.message;
    }
  }

  async describeStatus({ sessionKey, agentId, inbound }: CommandPlace): Promise<string> {
    const { store, running, modelsOf, deliveryOf, now } = this.#parts;
    const [session] = await store.select('sessions', { where: { sessionKey, endedAt: null }, limit: 1 });
    const lastRun = await this.#lastRun(sessionKey);
    const frame = lastRun && (await this.#parts.readFrame(lastRun.runId));
    const going = running().find((lane) => lane.sessionKey === sessionKey);
    const messages = session ? await store.count('transcript', { sessionId: session.sessionId, kind: 'message' }) : 0;
    const chosen = session && sessionModelOf(session);
    const [primary, ...fallbacks] = modelsOf(agentId, chosen === undefined ? [] : [chosen]);
    return formatStatus({
      version: VERSION,
      now: now(),
      agentId,
      model: primary,
      fallbacks,
      sessionKey,
      session: session && { startedAt: session.startedAt, messages },
      lastRun: lastRun && { status: lastRun.status, endedAt: lastRun.endedAt, ...lastRun.outcome },
      report: frame?.report,
      request: lastRun && (await readRequestMeasure(store, lastRun.runId)),
      running: going && { runId: going.runId, startedAt: going.since },
      waiting: await store.count('inbox', { sessionKey, status: 'queued' }),
      approvals: await store.select('approvals', {
        where: { sessionKey, status: 'waiting' },
        orderBy: [['seq', 'asc']],
        limit: MOST_APPROVALS,
      }),
      delivery: deliveryOf(inbound.surface.channel),
      limits: await describeLimitsFor(
        store,
        this.#parts.spend(),
        { agentId, sessionKey, session: session ?? { sessionId: '', startedAt: now() }, inbound },
        now(),
      ),
      ...(await this.#spent(agentId, session)),
    });
  }

  /** The cost of the session and of the agent's day, and the last compaction of the session. */
  async #spent(agentId: string, session: SessionRow | undefined): Promise<Pick<StatusFacts, 'spent' | 'compaction'>> {
    const { store, timezone, now } = this.#parts;
    const today = lastDailyBoundary(now(), 0, timezone);
    const sum = { by: 'agent', timezone } as const;
    const ofDay = (await sumUsage(store, { ...sum, agentId, since: today })).total;
    if (!session) return { spent: { today: ofDay } };
    const { sessionId, sessionKey } = session;
    const [row] = await store.select('transcript', {
      where: { sessionId, kind: 'compaction' },
      orderBy: [['position', 'desc']],
      limit: 1,
    });
    const ofSession = await sumUsage(store, { ...sum, sessionKey, sessionId });
    return {
      spent: {
        session: ofSession.total,
        withSubagents: ofSession.totalWithSubagents ?? undefined,
        today: ofDay,
      },
      compaction: row && { at: row.at, ...factsOf(row) },
    };
  }

  async model(rest: string, { sessionKey, agentId, inbound }: CommandPlace): Promise<string> {
    const { store, modelsOf, checkModel, chooseModel, allowedModels } = this.#parts;
    const name = rest.trim();
    const [own] = modelsOf(agentId);
    if (name === '') {
      const [session] = await store.select('sessions', { where: { sessionKey, endedAt: null }, limit: 1 });
      const chosen = session && sessionModelOf(session);
      const allowed = allowedModels(agentId);
      const choosable = allowed === undefined ? '' : ` These may be chosen: ${allowed.join(', ')}.`;
      if (chosen === undefined)
        return `This session uses ${own}, the model of the agent. /model NAME chooses another one.${choosable}`;
      return `This session uses ${modelsOf(agentId, [chosen])[0]}, chosen with /model. /model default goes back to ${own}.${choosable}`;
    }
    const isBack = name.toLowerCase() === 'default';
    if (!isBack) {
      try {
        await checkModel(name, agentId);
      } catch (error) {
        if (!isAtriumError(error)) throw error;
        return `The model stays as it is. ${error.message}`;
      }
    }
    const { surface } = inbound;
    await chooseModel({ agentId, sessionKey, surface }, isBack ? undefined : name);
    if (isBack) return `From the next message on this session uses ${own} again, the model of the agent.`;
    return `From the next message on this session uses ${modelsOf(agentId, [name])[0]}, until it ends or you say /model default.`;
  }

  async describeContext(asked: string, { sessionKey }: CommandPlace): Promise<string> {
    const view = parseContextView(asked);
    if (!view) return CONTEXT_USAGE;
    const lastRun = await this.#lastRun(sessionKey);
    const frame = lastRun && (await this.#parts.readFrame(lastRun.runId));
    if (!frame) return 'Nothing has been composed in this session yet. Say something first, then ask again.';
    return formatContextView(frame.report, view, await readRequestMeasure(this.#parts.store, lastRun.runId));
  }

  /** The last run that opened a session; commands like these do not open one. */
  async #lastRun(sessionKey: string) {
    const [run] = await this.#parts.store.select('runs', {
      where: { sessionKey, sessionId: { not: null } },
      orderBy: [['startedAt', 'desc']],
      limit: 1,
    });
    return run;
  }
}
