// The logs for people who look for a fault in what a model received or wrote: requests with their answers, raw streams,
// what a prompt cache depends on, and a line for each model call. All are off unless an operator switched one on. They
// contain whole conversations; only text that looks like a secret is removed.
//
// Errors: none. A log that cannot be written causes one warning.

import { createHash } from 'node:crypto';
import type { DebugLogName, ModelPayloadLevel } from '../protocol/debug-log.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { RecordedModelCall, RecordedRequest } from '../protocol/recorded-fact.ts';
import type { AppendedFiles } from './appended-files.ts';
import { comparePieces, listBreakpoints, type PromptPiece, readPromptPieces } from './cache-prefix.ts';
import type { DebugSwitches } from './debug-switches.ts';
import { describeAnswer, describeRequest, parsedBody } from './describe-payload.ts';
import { BUILT_IN_REDACTOR, type Redactor } from './redactor.ts';
import { StreamedText } from './streamed-text.ts';
import type { TraceContext } from './trajectory.ts';

/** The places of the logs. Whether one is on is a question for the switches. */
export interface DebugLogSettings {
  readonly payloadLog: { readonly file: string };
  readonly rawStream: { readonly file: string };
  readonly cacheTrace: {
    readonly file: string;
    readonly messages: boolean;
    readonly prompt: boolean;
    readonly system: boolean;
  };
  readonly modelPayload: { readonly level: ModelPayloadLevel };
}

export interface DebugLogParts {
  readonly settings: DebugLogSettings;
  readonly switches: Pick<DebugSwitches, 'isOn' | 'isOnSomewhere'>;
  readonly files: AppendedFiles;
  /** Writes a line to the log of the gateway. */
  readonly say: (line: string) => void;
  readonly redactor?: Redactor | undefined;
}

export type LoggedRequest = Pick<RecordedRequest, 'call' | 'body' | 'cacheTrace'>;

type StreamKind = 'text' | 'thinking';

const MAX_KNOWN_STREAMS = 500;
const MAX_KNOWN_REQUESTS = 200;

export class DebugLogs {
  readonly #parts: DebugLogParts;
  readonly #redactor: Redactor;
  readonly #streams = new Map<string, { kind: StreamKind; readonly text: StreamedText }>();
  /** The last request of each session to each model, to say how much of it a cache can use again. */
  readonly #requests = new Map<string, { readonly pieces: readonly PromptPiece[]; readonly of: object }>();
  #cacheSeq = 0;

  constructor(parts: DebugLogParts) {
    this.#parts = parts;
    this.#redactor = parts.redactor ?? BUILT_IN_REDACTOR;
  }

  /** True when a stream log is on, so that streams are otherwise not recorded. */
  get wantsStream(): boolean {
    return this.#parts.switches.isOnSomewhere('raw-stream');
  }

  modelRequest(context: TraceContext, request: LoggedRequest, at: number): void {
    const { settings, say } = this.#parts;
    const { call, body } = request;
    if (this.#isOn('payload', context)) {
      this.#append(settings.payloadLog.file, {
        ...recordOf(context, at),
        stage: 'request',
        call,
        payload: this.#redactor.value(parsedBody(body)),
        payloadDigest: digestOf(body),
      });
    }
    if (this.#isOn('raw-stream', context)) this.#streamRequest(context, request, at);
    if (this.#isOn('cache-trace', context)) this.#traceCache(context, request, at);
    if (this.#isOn('model-payload', context))
      say(describeRequest(context, call, body, settings.modelPayload.level, this.#redactor));
  }

  modelAnswer(context: TraceContext, answer: RecordedModelCall, at: number): void {
    const { settings, say } = this.#parts;
    if (this.#isOn('payload', context)) this.#logAnswer(context, answer, at);
    if (this.#isOn('raw-stream', context)) this.#endStream(context, answer, at);
    this.#streams.delete(streamOf(context));
    if (this.#isOn('cache-trace', context)) this.#traceUse(context, answer, at);
    if (this.#isOn('model-payload', context))
      say(describeAnswer(context, answer, settings.modelPayload.level, this.#redactor));
  }

  streamDelta(context: TraceContext, kind: StreamKind, delta: string, at: number): void {
    if (!this.#isOn('raw-stream', context)) return;
    const key = streamOf(context);
    const stream = this.#streams.get(key) ?? { kind, text: new StreamedText(this.#redactor) };
    keep(this.#streams, key, stream, MAX_KNOWN_STREAMS);
    if (stream.kind !== kind) this.#writeDeltas(context, stream.kind, stream.text.end());
    stream.kind = kind;
    this.#writeDeltas(context, kind, stream.text.add({ text: delta, at }));
  }

  drain(): Promise<void> {
    return this.#parts.files.drain();
  }

  #isOn(log: DebugLogName, { sessionKey }: TraceContext): boolean {
    return this.#parts.switches.isOn(log, sessionKey);
  }

  /** The usage has its own record, in the form that tools for OpenClaw's log read. */
  #logAnswer(context: TraceContext, answer: RecordedModelCall, at: number): void {
    const { file } = this.#parts.settings.payloadLog;
    const { call, stop, usage, ms, text = '', thinking = '', toolCalls = [] } = answer;
    const error = answer.error === undefined ? undefined : this.#redactor.text(answer.error);
    const response = this.#redactor.value(jsonOf({ stop, text, thinking, toolCalls }));
    this.#append(file, { ...recordOf(context, at), stage: 'response', call, ms, response, error });
    this.#append(file, { ...recordOf(context, at), stage: 'usage', call, usage, error });
  }

  /** What the model is told now: everything behind its last words. */
  #streamRequest(context: TraceContext, { call, cacheTrace }: LoggedRequest, at: number): void {
    const { runId, sessionId, provider, modelId } = context;
    const { messages } = cacheTrace();
    const said = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
    this.#append(this.#parts.settings.rawStream.file, {
      ts: at,
      event: 'model_request',
      runId,
      sessionId,
      call,
      provider,
      modelId,
      messages: this.#redactor.value(jsonOf(said)),
    });
  }

  #endStream(context: TraceContext, answer: RecordedModelCall, at: number): void {
    const { file } = this.#parts.settings.rawStream;
    const { runId, sessionId } = context;
    const stream = this.#streams.get(streamOf(context));
    if (stream) this.#writeDeltas(context, stream.kind, stream.text.end());
    const { call, stop, usage, text = '', thinking = '', toolCalls = [] } = answer;
    for (const { id, name, params } of toolCalls) {
      const shown = this.#redactor.value(jsonOf({ name, params }));
      this.#append(file, {
        ts: at,
        event: 'assistant_tool_call',
        runId,
        sessionId,
        call,
        toolCallId: id,
        ...objectOf(shown),
      });
    }
    const whole = { rawText: this.#redactor.text(text), rawThinking: this.#redactor.text(thinking) };
    this.#append(file, { ts: at, event: 'assistant_message_end', runId, sessionId, ...whole, call, stop, usage });
  }

  #writeDeltas(context: TraceContext, kind: StreamKind, pieces: readonly { text: string; at: number }[]): void {
    const { runId, sessionId } = context;
    const event = kind === 'text' ? 'assistant_text_stream' : 'assistant_thinking_stream';
    for (const { text: delta, at } of pieces) {
      const piece = { ts: at, event, runId, sessionId, evtType: `${kind}_delta`, delta, content: '' };
      this.#append(this.#parts.settings.rawStream.file, piece);
    }
  }

  #traceCache(context: TraceContext, { call, body, cacheTrace }: LoggedRequest, at: number): void {
    const wanted = this.#parts.settings.cacheTrace;
    const { system, prompt, messages } = cacheTrace();
    const fingerprints = messages.map((message) => digestOf(JSON.stringify(message)));
    const pieces = readPromptPieces(body);
    this.#append(wanted.file, {
      ...recordOf(context, at),
      seq: ++this.#cacheSeq,
      stage: 'request',
      call,
      prompt: wanted.prompt && prompt !== undefined ? this.#redactor.text(prompt) : undefined,
      system: wanted.system ? this.#redactor.text(system) : undefined,
      systemDigest: digestOf(system),
      messageCount: messages.length,
      messageRoles: messages.map(({ role }) => role),
      messageFingerprints: fingerprints,
      messagesDigest: digestOf(fingerprints.join('\n')),
      messages: wanted.messages ? this.#redactor.value(jsonOf(messages)) : undefined,
      breakpoints: listBreakpoints(pieces),
      reuse: this.#compare(context, call, pieces),
    });
  }

  /** Null for the first request of a session to a model since the log was switched on. */
  #compare(context: TraceContext, call: number, pieces: readonly PromptPiece[]): object | null {
    const { sessionId, provider, modelId, runId } = context;
    const key = JSON.stringify([sessionId, provider, modelId]);
    const before = this.#requests.get(key);
    keep(this.#requests, key, { pieces, of: { runId, call } }, MAX_KNOWN_REQUESTS);
    return before ? { since: before.of, ...comparePieces(before.pieces, pieces) } : null;
  }

  /** What the provider says that it has read from its cache and written to it. */
  #traceUse(context: TraceContext, { call, usage, error }: RecordedModelCall, at: number): void {
    const { input, cacheRead, cacheWrite } = usage;
    this.#append(this.#parts.settings.cacheTrace.file, {
      ...recordOf(context, at),
      seq: ++this.#cacheSeq,
      stage: 'usage',
      call,
      usage: { input, cacheRead, cacheWrite, uncached: Math.max(0, input - cacheRead - cacheWrite) },
      readShare: input === 0 ? null : Math.round((cacheRead / input) * 1_000) / 1_000,
      error: error === undefined ? undefined : this.#redactor.text(error),
    });
  }

  #append(file: string, record: object): void {
    const line = JSON.stringify(record);
    this.#parts.files.append(file, {
      length: line.length,
      write: (_, texts) => {
        texts.push(line);
        return Buffer.byteLength(line);
      },
    });
  }
}

function recordOf(context: TraceContext, at: number) {
  const { runId, sessionId, sessionKey, provider, modelId, modelApi, workspaceDir } = context;
  return { runId, sessionId, sessionKey, provider, modelId, modelApi, workspaceDir, ts: new Date(at).toISOString() };
}

function streamOf({ runId, sessionId }: TraceContext): string {
  return runId ?? sessionId;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function jsonOf(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

function objectOf(value: JsonValue): object {
  return typeof value === 'object' && value !== null ? value : {};
}

function keep<Value>(known: Map<string, Value>, key: string, value: Value, most: number): void {
  known.delete(key);
  known.set(key, value);
  const [oldest] = known.keys();
  if (known.size > most && oldest !== undefined) known.delete(oldest);
}
