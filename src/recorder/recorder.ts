// Passes recorded facts to the trajectory, the debug logs and the hook records. It listens and never decides: `record`
// does not throw, does not wait, and returns nothing.
//
// Promise: until a run's gate has passed, no words of a person or model are written. Earlier records wait in bounded
// memory. They are written when the gate passes; when the run is blocked or ends without an answer from the gate, only
// their hashes are written.
//
// A record is written a moment after it was told, with the others of that moment: a person waits for every microsecond of a
// turn, and many records in a row take less time than the same number one by one. Their order stays that in which they were told.

import { forgetOldest } from '../protocol/forget-oldest.ts';
import { isJsonObject } from '../protocol/json.ts';
import type { RecordedCall, RecordedFact, RecordedFactType } from '../protocol/recorded-fact.ts';
import { boundValue, RECORD_LIMITS } from './bound-value.ts';
import type { DebugLogs } from './debug-logs.ts';
import { hashContent, hashText } from './hash-content.ts';
import type { HookRecordSink } from './hook-record-sink.ts';
import { redactText } from './redact.ts';
import type { TraceContext, TraceType, Trajectory } from './trajectory.ts';

export interface RecorderParts {
  readonly trajectory: Trajectory;
  readonly debugLogs?: DebugLogs | undefined;
  readonly hookRecords?: HookRecordSink | undefined;
  readonly hookStatistics?: HookCallCounter | undefined;
  /** What every run has to do with: versions, settings, plugins. */
  readonly description?: (() => Values) | undefined;
  /** Hides secrets in a text; by default those that Atrium knows. */
  readonly redact?: ((text: string) => string) | undefined;
  readonly now: () => number;
}

type Values = Readonly<Record<string, unknown>>;

/** Counts calls of hooks when they end, and receives failures in words that may be shown. */
export interface HookCallCounter {
  count(call: RecordedCall): void;
  explain(call: RecordedCall, error: string): void;
}

export class Recorder {
  readonly #parts: RecorderParts;
  readonly #open = new Map<string, RecordedRun>();
  /** Deliveries are told after the end of a run, so ended runs are remembered for a while. */
  readonly #ended = new Map<string, RecordedRun>();

  /** The sessions whose trajectory has the description as it is now. */
  readonly #described = new Set<string>();

  /** What will be written soon, in the order in which it was told. */
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  readonly #writers: { readonly [Type in RecordedFactType]: (fact: OfType<Type>) => void } = {
    'session.started': (fact) => this.#start(fact),
    'context.compiled': ({ runId, type, facts, content }) => this.#tell(runId, type, facts, content),
    'gate.passed': ({ runId }) => this.#openGate(runId),
    'prompt.skipped': (fact) => this.#skip(fact),
    'prompt.submitted': (fact) => this.#submit(fact),
    'model.delta': ({ runId, kind, delta }) =>
      this.#debug(runId, (logs, context, at) => logs.streamDelta(context, kind, delta, at)),
    'model.completed': (fact) => this.#complete(fact),
    'tool.started': (fact) => this.#startTool(fact),
    'tool.ended': ({ runId, type, toolCallId, name, isError, ms, content }) =>
      this.#tell(runId, type, { toolCallId, name, isError, ms, characters: content.length }, { content }),
    'hook.called': ({ call }) => this.#call(call),
    'delivery.ended': (fact) => this.#deliver(fact),
    'trace.artifacts': (fact) => this.#end(fact),
    'session.ended': ({ type, sessionId, sessionKey, reason }) =>
      this.#record({ sessionId, sessionKey }, type, { reason }),
  };

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  /** Returns false when a record of this type would be written nowhere. */
  wants(type: RecordedFactType): boolean {
    return type !== 'model.delta' || this.#parts.debugLogs?.wantsStream === true;
  }

  record(fact: RecordedFact): void {
    (this.#writers[fact.type] as (fact: RecordedFact) => void)(fact);
  }

  /** The most bytes of the trajectory of one session, and the most calls of hooks. */
  limit({
    fileBytes,
    hookRecords,
  }: {
    readonly fileBytes?: number | undefined;
    readonly hookRecords?: number | undefined;
  }): void {
    this.#parts.trajectory.limit(fileBytes);
    this.#parts.hookRecords?.limit(hookRecords);
  }

  /** Resolves when every record of these sessions is removed, except in debug logs, which contain all sessions. */
  async forgetSessions(sessionIds: readonly string[]): Promise<void> {
    this.#writeWaiting();
    for (const sessionId of sessionIds) this.#described.delete(sessionId);
    await Promise.all(sessionIds.map((sessionId) => this.#parts.trajectory.forget(sessionId)));
    // This makes sure that no record of these sessions is still being written.
    await this.#parts.hookRecords?.drain();
  }

  /** Resolves when everything that was told before has been written or given up. */
  async drain(): Promise<void> {
    this.#writeWaiting();
    const { trajectory, debugLogs, hookRecords } = this.#parts;
    await Promise.all([trajectory.drain(), debugLogs?.drain(), hookRecords?.drain()]);
  }

  #start({ type, runId, sessionId, sessionKey, workspaceDir, ...facts }: OfType<'session.started'>): void {
    const { agentId, attempt, trigger, channel } = facts;
    const context = { runId, sessionId, sessionKey, workspaceDir };
    keep(this.#open, runId, { context, gate: 'waiting', held: [], leftOut: 0 });
    this.#tell(runId, type, { agentId, attempt, trigger, channel });
    this.#describe(runId, sessionId, sessionKey);
  }

  /** Once for each session, and again when the description has changed, because most runs have the same one. */
  #describe(runId: string, sessionId: string, sessionKey: string): void {
    const { description, trajectory } = this.#parts;
    if (!description || !trajectory.isOn(sessionKey) || this.#described.has(sessionId)) return;
    this.#described.add(sessionId);
    const [oldest] = this.#described;
    if (this.#described.size > MAX_KNOWN_RUNS && oldest !== undefined) this.#described.delete(oldest);
    quietly(() => this.#tell(runId, 'trace.metadata', description()));
  }

  /** Called when versions, settings or plugins are others than before. */
  describeAnew(): void {
    this.#described.clear();
  }

  #openGate(runId: string): void {
    const run = this.#runOf(runId);
    if (run?.gate === 'waiting') release(run, 'passed');
  }

  #skip({ type, runId, reason, by }: OfType<'prompt.skipped'>): void {
    const run = this.#runOf(runId);
    if (reason === 'blocked') {
      if (run?.gate !== 'waiting') return;
      release(run, 'blocked');
    }
    this.#tell(runId, type, { reason, by });
  }

  /** From here on the run's records name the model. */
  #submit({ type, runId, provider, model, api, call, body, sentBytes, cacheTrace }: OfType<'prompt.submitted'>): void {
    const run = this.#runOf(runId);
    if (run) run.context = { ...run.context, provider, modelId: model, modelApi: api };
    this.#tell(runId, type, { call, bytes: sentBytes });
    this.#debug(runId, (logs, context, at) => logs.modelRequest(context, { call, body, cacheTrace }, at));
  }

  /** The tool gets the same parameters and may change them, so they are written before it begins. */
  #startTool({ type, runId, toolCallId, name, params }: OfType<'tool.started'>): void {
    this.#tell(runId, type, { toolCallId, name }, { params });
    this.#writeWaiting();
  }

  #complete({ type, runId, ...answer }: OfType<'model.completed'>): void {
    const { call, stop, usage, ms, firstByteMs, cost, error, text = '' } = answer;
    this.#tell(runId, type, { call, stop, usage, ms, firstByteMs, cost }, { error, text });
    this.#debug(runId, (logs, context, at) => logs.modelAnswer(context, answer, at));
  }

  /**
   * Calls outside of a run are kept in the store only. The changes that a handler made contain or replace what people
   * said, so they are kept only of runs whose gate has passed. The same holds for the text of a failure, unless it
   * repeats nothing that somebody said.
   */
  #call(call: RecordedCall): void {
    this.#parts.hookStatistics?.count(call);
    const { runId } = call;
    const run = runId === undefined ? undefined : this.#runOf(runId);
    if (run)
      orHold(run, (write) => {
        const { context } = run;
        this.#later(() => this.#recordHook({ call, write, context }));
      });
    // A run that was never announced has no gate that passed.
    else this.#later(() => this.#recordHook({ call, write: runId === undefined ? 'facts' : 'hashes' }));
  }

  #deliver({ type, runId, sessionId, sessionKey, facts }: OfType<'delivery.ended'>): void {
    if (this.#runOf(runId)) this.#tell(runId, type, facts);
    else if (sessionId !== undefined) this.#record({ runId, sessionId, sessionKey }, type, facts);
  }

  #end(fact: OfType<'trace.artifacts'>): void {
    const { type, runId, sessionId, sessionKey, status, errorCode, error, reply, usage, ms } = fact;
    const run = this.#open.get(runId);
    if (!run) {
      if (sessionId === undefined) return;
      // An earlier process began the run, so it is not known whether its gate has passed, and no words are written.
      const context = { runId, sessionId, sessionKey };
      this.#record(context, type, { status, errorCode, usage, ms });
      this.#record(context, 'session.ended', { status });
      return;
    }
    // A run that ends before its gate has answered may not be written.
    if (run.gate === 'waiting') release(run, 'blocked');
    const leftOut = run.leftOut > 0 ? run.leftOut : undefined;
    this.#tell(runId, type, { status, errorCode, usage, ms, leftOut }, { error, reply });
    this.#tell(runId, 'session.ended', { status });
    this.#open.delete(runId);
    keep(this.#ended, runId, run);
  }

  #runOf(runId: string): RecordedRun | undefined {
    return this.#open.get(runId) ?? this.#ended.get(runId);
  }

  /** The values must not change any more, because they are read a moment later. */
  #tell(runId: string, type: TraceType, facts: Values, content: Values = {}): void {
    const run = this.#runOf(runId);
    if (!run) return;
    const at = this.#parts.now();
    orHold(run, (write) => {
      const { context } = run;
      this.#later(() => {
        const shown = write === 'whole' ? content : hashContent(content);
        this.#parts.trajectory.record(context, type, { ...facts, ...(isJsonObject(shown) && shown) }, at);
      });
    });
  }

  /** Debug logs contain the words themselves, so a run that did not pass its gate is not logged at all. */
  #debug(runId: string, log: (logs: DebugLogs, context: TraceContext, at: number) => void): void {
    const { debugLogs } = this.#parts;
    const run = debugLogs && this.#runOf(runId);
    if (!run) return;
    const at = this.#parts.now();
    orHold(run, (write) => {
      if (write === 'whole') log(debugLogs, run.context, at);
    });
  }

  #later(write: () => void): void {
    this.#waiting.push(write);
    if (this.#waiting.length >= MAX_WAITING) this.#writeWaiting();
    else this.#timer ??= setTimeout(() => this.#writeWaiting(), WAIT_MS);
  }

  #writeWaiting(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    for (const write of waiting) quietly(write);
  }

  #recordHook({ call, write, context }: ToldCall): void {
    const { hook, id, owner, at, ms, outcome, changed, runId, sessionKey } = call;
    const { trajectory, hookRecords, hookStatistics } = this.#parts;
    const isHidden = write === 'hashes' && call.isOwnWords !== true;
    const { redact = redactText } = this.#parts;
    const error = call.error === undefined ? undefined : isHidden ? hashText(call.error) : redact(call.error);
    const diff = call.diff && write === 'whole' ? boundValue(call.diff(), RECORD_LIMITS, this.#parts.redact) : null;
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
    if (error !== undefined) hookStatistics?.explain(call, error);
  }

  #record(context: TraceContext, type: TraceType, facts: Values): void {
    const at = this.#parts.now();
    this.#later(() => this.#parts.trajectory.record(context, type, facts, at));
  }
}

type OfType<Type extends RecordedFactType> = RecordedFact & { readonly type: Type };

/** A call of a hook that may be written. Outside of a run only the `facts` are kept. */
interface ToldCall {
  readonly call: RecordedCall;
  readonly write: 'whole' | 'hashes' | 'facts';
  readonly context?: TraceContext;
}

type HeldRecord = (write: 'whole' | 'hashes') => void;

interface RecordedRun {
  context: TraceContext;
  gate: 'waiting' | 'passed' | 'blocked';
  held: HeldRecord[];
  /** The number of records for which there was no room while the run waited for the gate. */
  leftOut: number;
}

const MAX_HELD_RECORDS = 500;
const MAX_WAITING = 500;
const WAIT_MS = 25;
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

/** Reading a value that a plugin made may throw, and a record must not break a run. */
function quietly(record: () => void): void {
  try {
    record();
  } catch {
    // The record is left out.
  }
}

function keep(runs: Map<string, RecordedRun>, runId: string, run: RecordedRun): void {
  runs.delete(runId);
  runs.set(runId, run);
  forgetOldest(runs, MAX_KNOWN_RUNS);
}
