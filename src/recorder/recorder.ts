// What the gateway tells as it happens, on its way to the trajectory, the debug logs and the hook records. It listens
// and never decides: no method throws, waits, or answers with anything that a run could use.
//
// Promise: until a run's gate has passed, nothing that anybody said is written. What comes before it waits in bounded
// memory; it is written when the gate passes, and only its hashes when the run is blocked or ends without an answer from
// the gate. Each call brings `facts`, which are the gateway's own (names, sizes, times), apart from `content`, which is
// somebody's words.

import { isJsonObject } from '../protocol/json.ts';
import type { RunStatus, SessionEndReason } from '../protocol/live-event.ts';
import type { Usage } from '../protocol/usage.ts';
import { boundValue } from './bound-value.ts';
import type { CacheTraceRequest, DebugLogs } from './debug-logs.ts';
import { hashContent, hashText } from './hash-content.ts';
import type { HookRecordSink } from './hook-record-sink.ts';
import type { TraceContext, TraceType, Trajectory } from './trajectory.ts';

export interface RecorderParts {
  readonly trajectory: Trajectory;
  readonly debugLogs?: DebugLogs | undefined;
  readonly hookRecords?: HookRecordSink | undefined;
  /** Told of a hook's failure as it may be shown. */
  readonly onHookFailure?: ((call: CalledHook, error: string) => void) | undefined;
  readonly now: () => number;
}

export interface StartedRun {
  readonly runId: string;
  readonly sessionId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  readonly attempt: number;
  readonly workspaceDir?: string | undefined;
  /** What started it: `message`, `api`, `cron`… */
  readonly trigger?: string | undefined;
  readonly channel?: string | undefined;
  /** The gate passed before the process was restarted; it is not asked again. */
  readonly gatePassed?: boolean | undefined;
}

export interface ChosenModel {
  readonly provider: string;
  readonly model: string;
  readonly api: string;
}

type Values = Readonly<Record<string, unknown>>;

export interface CompletedModelCall {
  readonly call: number;
  readonly stop: string;
  readonly usage: Usage;
  readonly ms: number;
  /** In whatever currency the configuration names its prices. */
  readonly cost?: number | undefined;
  readonly error?: string | undefined;
  readonly text?: string | undefined;
  readonly thinking?: string | undefined;
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly input?: unknown }[] | undefined;
}

export class Recorder {
  readonly #parts: RecorderParts;
  readonly #open = new Map<string, RecordedRun>();
  /** Deliveries are told after the end of a run, so ended runs are known for a while. */
  readonly #ended = new Map<string, RecordedRun>();

  #calls: WaitingCall[] = [];

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  runStarted(run: StartedRun): void {
    const { runId, sessionId, sessionKey, workspaceDir, agentId, attempt, trigger, channel } = run;
    keep(this.#open, runId, {
      context: { runId, sessionId, sessionKey, workspaceDir },
      gate: run.gatePassed ? 'passed' : 'waiting',
      held: [],
      leftOut: 0,
    });
    this.#tell(runId, 'session.started', { agentId, attempt, trigger, channel });
  }

  /** From here on the run's records name the model. */
  modelChosen(runId: string, { provider, model, api }: ChosenModel): void {
    const run = this.#runOf(runId);
    if (run) run.context = { ...run.context, provider, modelId: model, modelApi: api };
  }

  /** What the run has to do with: versions, settings, plugins. */
  metadataKnown(runId: string, facts: Values): void {
    this.#tell(runId, 'trace.metadata', facts);
  }

  contextCompiled(runId: string, facts: Values, content: Values = {}): void {
    this.#tell(runId, 'context.compiled', facts, content);
  }

  gatePassed(runId: string): void {
    const run = this.#runOf(runId);
    if (run?.gate === 'waiting') release(run, 'passed');
  }

  /** `by` is the handler that decided. What the run was about is recorded as hashes, now and later. */
  gateBlocked(runId: string, by: string, reason?: string): void {
    const run = this.#runOf(runId);
    if (run?.gate !== 'waiting') return;
    release(run, 'blocked');
    this.#tell(runId, 'prompt.skipped', { reason: 'blocked', by }, { message: reason });
  }

  /** The run needs no model: a hook claimed it, or there was nothing to ask. */
  promptSkipped(runId: string, facts: Values): void {
    this.#tell(runId, 'prompt.skipped', facts);
  }

  promptSubmitted(runId: string, facts: Values, content: Values = {}): void {
    this.#tell(runId, 'prompt.submitted', facts, content);
  }

  /** The request as it is sent, for the debug logs only: its exact bytes are kept as a capture. */
  modelRequested(runId: string, body: string, cacheTrace?: () => CacheTraceRequest): void {
    const { debugLogs } = this.#parts;
    if (!debugLogs) return;
    this.#debug(runId, (context, at) => {
      debugLogs.modelRequest(context, body, at);
      if (cacheTrace && debugLogs.wantsCacheTrace) debugLogs.cacheTrace(context, cacheTrace(), at);
    });
  }

  modelDelta(runId: string, kind: 'text' | 'thinking', delta: string): void {
    const { debugLogs } = this.#parts;
    if (debugLogs?.wantsStream) this.#debug(runId, (context, at) => debugLogs.streamDelta(context, kind, delta, at));
  }

  modelCompleted(runId: string, completed: CompletedModelCall): void {
    const { call, stop, usage, ms, cost, error, text, thinking, toolCalls } = completed;
    this.#tell(runId, 'model.completed', { call, stop, usage, ms, cost }, { error, text, thinking, toolCalls });
    const { debugLogs } = this.#parts;
    if (!debugLogs) return;
    this.#debug(runId, (context, at) => {
      debugLogs.modelUsage(context, usage, error, at);
      debugLogs.streamEnd(context, text ?? '', thinking ?? '', at);
    });
  }

  toolStarted(runId: string, { toolCallId, name, params }: StartedTool): void {
    this.#tell(runId, 'tool.started', { toolCallId, name }, { params });
  }

  toolEnded(runId: string, { toolCallId, name, isError, ms, content }: EndedTool): void {
    this.#tell(runId, 'tool.ended', { toolCallId, name, isError, ms, characters: content?.length }, { content });
  }

  /**
   * Calls outside of a run are kept in the store only. What a handler changed is what people said, or stands for it, so it
   * is kept only of runs whose gate has passed; so are its own words when it failed.
   */
  hookCalled(call: CalledHook): void {
    const { runId } = call;
    const run = runId === undefined ? undefined : this.#runOf(runId);
    if (run) orHold(run, (write) => this.#later({ call, write, context: run.context }));
    // A run that nobody announced has no gate that passed, either.
    else this.#later({ call, write: runId === undefined ? 'facts' : 'hashes' });
  }

  /** Also for a run of an earlier process, when the caller knows its session. */
  deliveryEnded({ runId, sessionId, sessionKey }: DeliveredRun, facts: Values): void {
    if (this.#runOf(runId)) this.#tell(runId, 'delivery.ended', facts);
    else if (sessionId !== undefined) this.#record({ runId, sessionId, sessionKey }, 'delivery.ended', facts);
  }

  runEnded(runId: string, { status, errorCode, error, reply, ...totals }: EndedRun): void {
    const run = this.#open.get(runId);
    if (!run) return;
    // A run that ends before its gate has spoken was never allowed to be written down.
    if (run.gate === 'waiting') release(run, 'blocked');
    const leftOut = run.leftOut > 0 ? run.leftOut : undefined;
    this.#tell(runId, 'trace.artifacts', { status, errorCode, ...totals, leftOut }, { error, reply });
    this.#tell(runId, 'session.ended', { status });
    this.#open.delete(runId);
    keep(this.#ended, runId, run);
  }

  /** The session itself is over, not only a run of it. */
  sessionEnded({ sessionId, sessionKey }: EndedSession, reason: SessionEndReason): void {
    this.#record({ sessionId, sessionKey }, 'session.ended', { reason });
  }

  /** Resolves when nothing is left of what was recorded of these sessions, but for debug logs, which hold all of them. */
  async forgetSessions(sessionIds: readonly string[]): Promise<void> {
    this.#recordHooks();
    await Promise.all(sessionIds.map((sessionId) => this.#parts.trajectory.forget(sessionId)));
    // So that no record of theirs is still on its way to the store.
    await this.#parts.hookRecords?.drain();
  }

  /** Resolves when everything that was told before has been written or given up. */
  async drain(): Promise<void> {
    this.#recordHooks();
    const { trajectory, debugLogs, hookRecords } = this.#parts;
    await Promise.all([trajectory.drain(), debugLogs?.drain(), hookRecords?.drain()]);
  }

  #runOf(runId: string): RecordedRun | undefined {
    return this.#open.get(runId) ?? this.#ended.get(runId);
  }

  #tell(runId: string, type: TraceType, facts: Values, content: Values = {}): void {
    const run = this.#runOf(runId);
    if (!run) return;
    const at = this.#parts.now();
    orHold(run, (write) => {
      this.#recordHooks();
      const shown = write === 'whole' ? content : hashContent(content);
      this.#parts.trajectory.record(run.context, type, { ...facts, ...(isJsonObject(shown) && shown) }, at);
    });
  }

  /** Debug logs show the words themselves, so a run that did not pass its gate is not in them at all. */
  #debug(runId: string, log: (context: TraceContext, at: number) => void): void {
    const run = this.#runOf(runId);
    if (!run) return;
    const at = this.#parts.now();
    orHold(run, (write) => {
      if (write === 'whole') log(run.context, at);
    });
  }

  /** A run asks many handlers in a row, and is not to wait until each of them is written down. */
  #later(call: WaitingCall): void {
    this.#calls.push(call);
    if (this.#calls.length === 1) setImmediate(() => this.#recordHooks());
    else if (this.#calls.length >= MAX_WAITING_CALLS) this.#recordHooks();
  }

  /** Before anything else is written, so that a trajectory stays in order. */
  #recordHooks(): void {
    if (this.#calls.length === 0) return;
    const calls = this.#calls;
    this.#calls = [];
    for (const each of calls) quietly(() => this.#recordHook(each));
  }

  #recordHook({ call, write, context }: WaitingCall): void {
    const { hook, id, owner, at, ms, outcome, changed, runId, sessionKey } = call;
    const { trajectory, hookRecords, onHookFailure } = this.#parts;
    const error = call.error !== undefined && write === 'hashes' ? hashText(call.error) : call.error;
    const diff = call.diff && write === 'whole' ? boundValue(call.diff()) : null;
    if (context) {
      const facts = { hook, handler: id, owner, ms, outcome, changed, error };
      trajectory.record(context, 'hook.called', diff === null ? facts : { ...facts, diff }, at);
    }
    hookRecords?.record({
      runId: runId ?? null,
      sessionKey: sessionKey ?? null,
      hook,
      handler: id,
      owner,
      at,
      ms,
      outcome,
      error: error ?? null,
      changed,
      diff,
    });
    if (error !== undefined) onHookFailure?.(call, error);
  }

  #record(context: TraceContext, type: TraceType, facts: Values): void {
    quietly(() => this.#parts.trajectory.record(context, type, facts, this.#parts.now()));
  }
}

export interface StartedTool {
  readonly toolCallId: string;
  readonly name: string;
  readonly params?: unknown;
}

export interface EndedTool {
  readonly toolCallId: string;
  readonly name: string;
  readonly isError: boolean;
  readonly ms: number;
  readonly content?: string | undefined;
}

/** One call of one handler, as the hook runner tells it. */
export interface CalledHook {
  readonly hook: string;
  readonly id: string;
  readonly owner: string;
  readonly at: number;
  readonly ms: number;
  readonly outcome: string;
  readonly error?: string | undefined;
  readonly changed: readonly string[];
  /** What it changed them from and to. */
  readonly diff?: (() => readonly object[]) | undefined;
  readonly runId?: string | undefined;
  readonly sessionKey?: string | undefined;
}

export interface DeliveredRun {
  readonly runId: string;
  readonly sessionKey?: string | undefined;
  readonly sessionId?: string | undefined;
}

export interface EndedRun {
  readonly status: RunStatus;
  readonly errorCode?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly ms?: number | undefined;
  readonly modelCalls?: number | undefined;
  readonly toolCalls?: number | undefined;
  readonly cost?: number | undefined;
  readonly error?: string | undefined;
  readonly reply?: string | undefined;
}

export interface EndedSession {
  readonly sessionId: string;
  readonly sessionKey: string;
}

/** A call of a hook that may be written down. Outside of a run, `facts` are all that is kept. */
interface WaitingCall {
  readonly call: CalledHook;
  readonly write: 'whole' | 'hashes' | 'facts';
  readonly context?: TraceContext;
}

type HeldRecord = (write: 'whole' | 'hashes') => void;

interface RecordedRun {
  context: TraceContext;
  gate: 'waiting' | 'passed' | 'blocked';
  held: HeldRecord[];
  /** Records for which there was no room while the gate was waited for. */
  leftOut: number;
}

const MAX_HELD_RECORDS = 500;
const MAX_WAITING_CALLS = 500;
const MAX_KNOWN_RUNS = 2_000;

function orHold(run: RecordedRun, record: HeldRecord): void {
  if (run.gate !== 'waiting') write(run, record);
  else if (run.held.length < MAX_HELD_RECORDS) run.held.push(record);
  else run.leftOut++;
}

function release(run: RecordedRun, gate: 'passed' | 'blocked'): void {
  const held = run.held;
  run.gate = gate;
  run.held = [];
  for (const record of held) write(run, record);
}

function write(run: RecordedRun, record: HeldRecord): void {
  quietly(() => record(run.gate === 'passed' ? 'whole' : 'hashes'));
}

/** Looking at what a plugin made may throw; a record is not worth a run. */
function quietly(record: () => void): void {
  try {
    record();
  } catch {
    // Left out.
  }
}

function keep(runs: Map<string, RecordedRun>, runId: string, run: RecordedRun): void {
  runs.delete(runId);
  runs.set(runId, run);
  const [oldest] = runs.keys();
  if (runs.size > MAX_KNOWN_RUNS && oldest !== undefined) runs.delete(oldest);
}
