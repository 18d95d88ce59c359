// Records how runs went, as lines of JSON: one file per session, for people and their tools. No code reads it to decide
// anything.
//
// Promise: recording never fails and never makes a run wait. Records are bounded, without secrets, and numbered in each
// file from 1 across restarts. A file that has reached its limit says so in its last line.

import { createHash } from 'node:crypto';
import path from 'node:path';
import { forgetOldest } from '../protocol/forget-oldest.ts';
import type { JsonValue } from '../protocol/json.ts';
import { remembered } from '../protocol/remembered.ts';
import type { AppendedFiles, FilePlace } from './appended-files.ts';
import { boundText, boundValue, RECORD_LIMITS } from './bound-value.ts';
import { redactText } from './redact.ts';
import { takePrompt, type WrittenPrompt, withPrompt } from './trajectory-prompts.ts';

const TRACE_TYPES = [
  'session.started',
  'trace.metadata',
  'context.compiled',
  'prompt.submitted',
  'prompt.skipped',
  'model.completed',
  'trace.artifacts',
  'session.ended',
  'trace.truncated',
  'hook.called',
  'tool.started',
  'tool.ended',
  'delivery.ended',
] as const;
export type TraceType = (typeof TRACE_TYPES)[number];

/** The run and session that a record belongs to. */
export interface TraceContext {
  readonly sessionId: string;
  readonly sessionKey?: string | undefined;
  readonly runId?: string | undefined;
  readonly workspaceDir?: string | undefined;
  readonly provider?: string | undefined;
  readonly modelId?: string | undefined;
  readonly modelApi?: string | undefined;
}

export interface TrajectorySettings {
  readonly dir: string;
  readonly files: AppendedFiles;
  readonly enabled?: boolean | undefined;
  /** The most bytes of one session. */
  readonly maxBytes?: number | undefined;
  /** Hides secrets in a text. */
  readonly redact?: ((text: string) => string) | undefined;
}

export const MAX_TRACE_EVENT_BYTES = 256 * 1024;
export const MAX_TRACE_FILE_BYTES = 10 * 1024 * 1024;
/** A prompt that was forgotten here is written once more, which costs nothing but space. */
const MOST_FILES_WITH_PROMPTS = 1_024;
const MOST_PROMPTS_OF_FILE = 8;

export class Trajectory {
  readonly #dir: string;
  readonly #files: AppendedFiles;
  readonly #enabled: boolean;
  #maxBytes: number;
  readonly #redact: (text: string) => string;
  /** What all records of a run have in common, because a run writes a dozen of them. */
  readonly #commonOf = new WeakMap<TraceContext, CommonFields>();

  /** By file, the hashes of the prompts that this process has written into it. */
  readonly #prompts = new Map<string, Set<string>>();

  constructor({
    dir,
    files,
    enabled = true,
    maxBytes = MAX_TRACE_FILE_BYTES,
    redact = redactText,
  }: TrajectorySettings) {
    this.#redact = redact;
    this.#dir = dir;
    this.#files = files;
    this.#enabled = enabled;
    this.#maxBytes = maxBytes;
  }

  get enabled(): boolean {
    return this.#enabled;
  }

  /** From now on a file may have this many bytes. One that has said that it is full stays as it is. */
  limit(maxBytes: number = MAX_TRACE_FILE_BYTES): void {
    this.#maxBytes = maxBytes;
  }

  fileOf(sessionId: string): string {
    return trajectoryFileOf(this.#dir, sessionId);
  }

  record(context: TraceContext, type: TraceType, data: Readonly<Record<string, unknown>>, at: number): void {
    if (!this.#enabled) return;
    const common = this.#common(context);
    const { file } = common;
    const make = recordMaker(common, at);
    const taken = takePrompt(boundValue(data, RECORD_LIMITS, this.#redact));
    let record = make(type, taken.data);
    const bytes = record.bytes + (taken.prompt?.bytes ?? 0);
    const isTooLong = bytes > MAX_TRACE_EVENT_BYTES - SPARE_BYTES;
    if (isTooLong) record = make(type, { truncated: true, originalBytes: bytes, limitBytes: MAX_TRACE_EVENT_BYTES });
    const maxBytes = this.#maxBytes;
    this.#files.append(file, {
      length: Math.min(bytes, MAX_TRACE_EVENT_BYTES),
      text: (place) => {
        const last = lastRecordOf(place);
        if (last.type === 'trace.truncated') return undefined;
        const seq = last.seq + 1;
        const prompt = isTooLong ? undefined : this.#newPrompt(file, place, taken.prompt);
        const size = record.bytes + (prompt?.bytes ?? 0);
        // Space is reserved for the line that says that more was left out.
        if (place.size + size + SPARE_BYTES + TRUNCATED_LINE_BYTES <= maxBytes) {
          if (prompt) this.#prompts.get(file)?.add(prompt.hash);
          return record.numbered(seq, prompt);
        }
        return make('trace.truncated', { reason: 'file-size-limit', limitBytes: maxBytes }).numbered(seq);
      },
    });
  }

  /** The prompt, unless an earlier line of the file has it. */
  #newPrompt(file: string, { size }: FilePlace, prompt: WrittenPrompt | undefined): WrittenPrompt | undefined {
    if (!prompt) return undefined;
    const known = size === 0 ? undefined : this.#prompts.get(file);
    if (known?.has(prompt.hash)) return undefined;
    this.#prompts.delete(file);
    this.#prompts.set(file, known && known.size < MOST_PROMPTS_OF_FILE ? known : new Set());
    forgetOldest(this.#prompts, MOST_FILES_WITH_PROMPTS);
    return prompt;
  }

  /** Removes everything that was recorded of this session so far. */
  forget(sessionId: string): Promise<void> {
    return this.#files.remove(this.fileOf(sessionId));
  }

  drain(): Promise<void> {
    return this.#files.drain();
  }

  #common(context: TraceContext): CommonFields {
    const known = this.#commonOf.get(context);
    if (known) return known;
    const common = { ...formatFields(context), file: this.fileOf(context.sessionId) };
    this.#commonOf.set(context, common);
    return common;
  }
}

/** The file of a run, and the fields that name it, as text. */
interface CommonFields {
  readonly file: string;
  readonly traceId: string;
  readonly fields: string;
}

function recordMaker({ traceId, fields }: CommonFields, at: number): (type: TraceType, data: JsonValue) => TraceRecord {
  const ts = new Date(at).toISOString();
  return (type, data) => {
    const before = `{"traceSchema":"openclaw-trajectory","schemaVersion":1,"traceId":${traceId},"source":"runtime","type":"${type}","ts":"${ts}"`;
    const text = JSON.stringify(data);
    const behind = `${fields}"data":${text}}`;
    const numbered = (seq: number, prompt?: WrittenPrompt) => {
      const end = prompt ? `${fields}"data":${withPrompt(text, prompt)}}` : behind;
      return `${before},"seq":${seq},"sourceSeq":${seq},${end}`;
    };
    // Both parts are measured apart: joining them only to measure them would cost as much as writing them.
    return { bytes: Buffer.byteLength(before) + Buffer.byteLength(behind) + NUMBER_BYTES, numbered };
  };
}

/** The file of a session's trajectory in this folder. */
export function trajectoryFileOf(dir: string, sessionId: string): string {
  return path.join(dir, `${fileNameOf(sessionId)}.jsonl`);
}

/** `"sessionId":"…","runId":"…",`, ready to stand before the data. */
function formatFields(context: TraceContext): { readonly traceId: string; readonly fields: string } {
  let fields = '';
  for (const name of FIELDS) {
    const value = context[name];
    if (value !== undefined) fields += `"${name}":${quoteField(value)},`;
  }
  return { traceId: quoteField(context.sessionId), fields };
}

const FIELDS = ['sessionId', 'sessionKey', 'runId', 'workspaceDir', 'provider', 'modelId', 'modelApi'] as const;

/** Most records have the same few sessions, folders and models. */
const quoteField = remembered(256, (value) => JSON.stringify(boundText(value, 512)));

const SPARE_BYTES = 64;
const NUMBER_BYTES = ',"seq":0,"sourceSeq":0,'.length;
const TRUNCATED_LINE_BYTES = 8 * 1024;

/** A record is turned into text once; only its number is known later. */
interface TraceRecord {
  /** The number of bytes with the number 0, without the prompt. */
  readonly bytes: number;
  numbered(seq: number, prompt?: WrittenPrompt): string;
}

/**
 * The fields are read from the text, because parsing a long line for two fields would cost more than writing the next.
 */
function lastRecordOf({ lastLine }: FilePlace): { readonly type: string; readonly seq: number } {
  const found = /"source":"runtime","type":"([a-z.]+)","ts":"[^"]*","seq":(\d{1,15}),/.exec(lastLine ?? '');
  return { type: found?.[1] ?? '', seq: Number(found?.[2] ?? 0) };
}

/** Atrium or a client makes ids and keys. A file name is never made of text that a client wrote. */
export function fileNameOf(sessionId: string): string {
  if (/^[A-Za-z0-9_-]{1,120}$/.test(sessionId)) return sessionId;
  const hash = createHash('sha256').update(sessionId).digest('hex').slice(0, 12);
  return `${sessionId.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 80)}-${hash}`;
}
