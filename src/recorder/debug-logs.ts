// The logs for people who look for a fault in what a model received or wrote: requests of Anthropic's protocol, raw
// streams, and what a prompt cache depends on. All are off unless an operator switched one on. They contain whole
// conversations; only text that looks like a secret is removed.
//
// Errors: none. A log that cannot be written causes one warning.

import { createHash } from 'node:crypto';
import { isJsonObject, type JsonValue } from '../protocol/json.ts';
import type { AppendedFiles } from './appended-files.ts';
import { redactText, redactValue } from './redact.ts';
import type { TraceContext } from './trajectory.ts';

export interface DebugLogSettings {
  readonly payloadLog: { readonly file: string } | undefined;
  readonly rawStream: { readonly file: string } | undefined;
  readonly cacheTrace:
    | { readonly file: string; readonly messages: boolean; readonly prompt: boolean; readonly system: boolean }
    | undefined;
}

/** The parts of a request that a cache depends on, before a provider's serialiser changed their form. */
export interface CacheTraceRequest {
  readonly stage: string;
  readonly prompt?: string | undefined;
  readonly system?: string | undefined;
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[] | undefined;
  readonly options?: JsonValue | undefined;
  readonly note?: string | undefined;
  readonly error?: string | undefined;
}

export class DebugLogs {
  readonly #settings: DebugLogSettings;
  readonly #files: AppendedFiles;
  #cacheSeq = 0;

  constructor(settings: DebugLogSettings, files: AppendedFiles) {
    this.#settings = settings;
    this.#files = files;
  }

  /** True when a stream log is on, so that streams are otherwise not recorded. */
  get wantsStream(): boolean {
    return this.#settings.rawStream !== undefined;
  }

  get wantsCacheTrace(): boolean {
    return this.#settings.cacheTrace !== undefined;
  }

  /** Logs the body of a request as it is sent. Only Anthropic's protocol has such a log. */
  modelRequest(context: TraceContext, body: string, at: number): void {
    const { payloadLog } = this.#settings;
    if (!payloadLog || context.modelApi !== 'anthropic-messages') return;
    const payload = redactValue(parsedOrText(body));
    this.#append(payloadLog.file, {
      ...recordOf(context, at),
      stage: 'request',
      payload,
      payloadDigest: digestOf(body),
    });
  }

  modelUsage(context: TraceContext, usage: object | undefined, error: string | undefined, at: number): void {
    const { payloadLog } = this.#settings;
    if (!payloadLog || context.modelApi !== 'anthropic-messages') return;
    const shownError = error === undefined ? undefined : redactText(error);
    this.#append(payloadLog.file, { ...recordOf(context, at), stage: 'usage', usage, error: shownError });
  }

  streamDelta(context: TraceContext, kind: 'text' | 'thinking', delta: string, at: number): void {
    const { rawStream } = this.#settings;
    if (!rawStream) return;
    const { runId, sessionId } = context;
    const event = kind === 'text' ? 'assistant_text_stream' : 'assistant_thinking_stream';
    const evtType = `${kind}_delta`;
    this.#append(rawStream.file, { ts: at, event, runId, sessionId, evtType, delta: redactText(delta), content: '' });
  }

  streamEnd(context: TraceContext, text: string, thinking: string, at: number): void {
    const { rawStream } = this.#settings;
    if (!rawStream) return;
    const { runId, sessionId } = context;
    const whole = { rawText: redactText(text), rawThinking: redactText(thinking) };
    this.#append(rawStream.file, { ts: at, event: 'assistant_message_end', runId, sessionId, ...whole });
  }

  cacheTrace(context: TraceContext, request: CacheTraceRequest, at: number): void {
    const { cacheTrace } = this.#settings;
    if (!cacheTrace) return;
    const { stage, prompt, system, messages, options, note, error } = request;
    const fingerprints = messages?.map((message) => digestOf(JSON.stringify(message)));
    this.#append(cacheTrace.file, {
      ...recordOf(context, at),
      seq: ++this.#cacheSeq,
      stage,
      prompt: cacheTrace.prompt && prompt !== undefined ? redactText(prompt) : undefined,
      system: cacheTrace.system && system !== undefined ? redactText(system) : undefined,
      systemDigest: system === undefined ? undefined : digestOf(system),
      options,
      messageCount: messages?.length,
      messageRoles: messages?.map(({ role }) => role),
      messageFingerprints: fingerprints,
      messagesDigest: fingerprints && digestOf(fingerprints.join('\n')),
      messages: cacheTrace.messages && messages ? redactValue(parsedOrText(JSON.stringify(messages))) : undefined,
      note,
      error: error === undefined ? undefined : redactText(error),
    });
  }

  drain(): Promise<void> {
    return this.#files.drain();
  }

  #append(file: string, record: object): void {
    const line = JSON.stringify(record);
    this.#files.append(file, { length: line.length, text: () => line });
  }
}

function recordOf(context: TraceContext, at: number) {
  const { runId, sessionId, sessionKey, provider, modelId, modelApi, workspaceDir } = context;
  return { runId, sessionId, sessionKey, provider, modelId, modelApi, workspaceDir, ts: new Date(at).toISOString() };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function parsedOrText(text: string): JsonValue {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) || Array.isArray(value) ? (value as JsonValue) : text;
  } catch {
    return text;
  }
}
