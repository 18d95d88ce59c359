// Records how runs went, as lines of JSON: one file per session, for people and their tools. No code reads it to decide
// anything.
//
// Promise: recording never fails and never makes a run wait. Records are bounded, without secrets, and numbered in each
// file from 1 across restarts. A file that has reached its limit says so in its last line.

import { createHash } from 'node:crypto';
import path from 'node:path';
import { forgetOldest } from '../protocol/forget-oldest.ts';
import { remembered } from '../protocol/remembered.ts';
import type { AppendedFiles, AppendedLine, FilePlace } from './appended-files.ts';
import { boundJson, boundText, RECORD_LIMITS } from './bound-value.ts';
import { redactText } from './redact.ts';
import { addPrompt, hashBytes, takePrompt, type WrittenPrompt } from './trajectory-prompts.ts';

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
  /** Whether the runs of this session are recorded now; by default all are. */
  readonly isOn?: ((sessionKey: string | undefined) => boolean) | undefined;
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
/** The last line of a file that was forgotten here is read again. */
const MOST_FILES_WITH_NUMBERS = 256;
/** The fields of a run that was forgotten here are put together again. */
const MOST_RUNS_WITH_FIELDS = 128;

export class Trajectory {
  readonly #dir: string;
  readonly #files: AppendedFiles;
  /** Whether the runs of this session are recorded now. */
  readonly isOn: (sessionKey: string | undefined) => boolean;
  #maxBytes: number;
  readonly #redact: (text: string) => string;
  /** A long text as it may be written. */
  readonly #shown: (text: string) => string;
  /**
   * What all records of a run have in common, because a run writes a dozen of them; by the id of the run. A weak map would cost more than
   * what it saves.
   */
  readonly #commonOf = new Map<string, { readonly context: TraceContext; readonly common: CommonFields }>();

  /** By file, the record that was made for it last, and the size of the file behind it. */
  readonly #last = new Map<string, LastRecord & { readonly size: number }>();

  /** By file, the hashes of the prompts that this process has written into it. */
  readonly #prompts = new Map<string, Set<string>>();

  constructor({
    dir,
    files,
    isOn = () => true,
    maxBytes = MAX_TRACE_FILE_BYTES,
    redact = redactText,
  }: TrajectorySettings) {
    this.#redact = redact;
    this.#shown = (text) => boundText(text, RECORD_LIMITS.characters, redact);
    this.#dir = dir;
    this.#files = files;
    this.isOn = isOn;
    this.#maxBytes = maxBytes;
  }

  /** From now on a file may have this many bytes. One that has said that it is full stays as it is. */
  limit(maxBytes: number = MAX_TRACE_FILE_BYTES): void {
    this.#maxBytes = maxBytes;
  }

  readonly fileOf = remembered(256, (sessionId) => trajectoryFileOf(this.#dir, sessionId));

  record(context: TraceContext, type: TraceType, data: Readonly<Record<string, unknown>>, at: number): void {
    if (!this.isOn(context.sessionKey)) return;
    const common = this.#common(context);
    const { data: rest, prompt } = takePrompt(data, this.#shown);
    const record = new TraceRecord(common, type, at, boundJson(rest, RECORD_LIMITS, this.#redact), prompt);
    this.#files.append(common.file, record.length > MAX_TRACE_EVENT_BYTES - SPARE_BYTES ? shortened(record) : record);
  }

  /** Adds the line of a record, now that its place in the file is known; undefined when the file is full. */
  readonly #write: CommonFields['write'] = (record, place, texts) => {
    const { file } = record.common;
    const last = this.#lastOf(file, place);
    if (last.isFull) return undefined;
    const seq = last.seq + 1;
    const prompt = this.#newPrompt(file, place, record.prompt);
    // Space is reserved for the line that says that more was left out.
    const isFull =
      place.size + record.bytes + (prompt?.bytes ?? 0) + SPARE_BYTES + TRUNCATED_LINE_BYTES > this.#maxBytes;
    if (prompt && !isFull) this.#prompts.get(file)?.add(prompt.hash);
    const bytes = isFull ? this.#lastLine(record).number(seq, texts) : record.number(seq, texts, prompt);
    this.#last.delete(file);
    this.#last.set(file, { size: place.size + bytes + 1, seq, isFull });
    forgetOldest(this.#last, MOST_FILES_WITH_NUMBERS);
    return bytes;
  };

  #lastLine({ common, at }: TraceRecord): TraceRecord {
    const data = JSON.stringify({ reason: 'file-size-limit', limitBytes: this.#maxBytes });
    return new TraceRecord(common, 'trace.truncated', at, data);
  }

  /** The last record of a file. It is read from the file's last line, unless this process wrote it. */
  #lastOf(file: string, place: FilePlace): LastRecord {
    const known = this.#last.get(file);
    return known?.size === place.size ? known : lastRecordOf(place);
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
    const key = context.runId ?? context.sessionId;
    const known = this.#commonOf.get(key);
    if (known?.context === context) return known.common;
    const common = { ...formatFields(context), file: this.fileOf(context.sessionId), write: this.#write };
    this.#commonOf.set(key, { context, common });
    forgetOldest(this.#commonOf, MOST_RUNS_WITH_FIELDS);
    return common;
  }
}

/** The file of a run, and the fields that name it, as text. */
interface CommonFields {
  readonly file: string;
  /** Everything up to the type of the record. */
  readonly beginning: string;
  readonly fields: string;
  /** The number of bytes of a line with the number 0, without its type and data. */
  readonly bytes: number;
  /** Adds the line of a record of the run at this place of the file. */
  readonly write: (record: TraceRecord, place: FilePlace, texts: string[]) => number | undefined;
}

/**
 * A record is turned into text once; only its number is known later. Until then it waits for up to a second beside many others,
 * so nothing is kept besides the text.
 */
class TraceRecord implements AppendedLine {
  readonly length: number;
  /** The number of bytes with the number 0, with the hash of the prompt and without the prompt. */
  readonly bytes: number;
  readonly common: CommonFields;
  readonly type: TraceType;
  readonly at: number;
  readonly prompt: WrittenPrompt | undefined;
  readonly #data: string;

  constructor(common: CommonFields, type: TraceType, at: number, data: string, prompt?: WrittenPrompt) {
    this.common = common;
    this.type = type;
    this.at = at;
    this.prompt = prompt;
    this.#data = data;
    this.bytes = common.bytes + type.length + Buffer.byteLength(data) + (prompt ? hashBytes(data, prompt) : 0);
    this.length = this.bytes + (prompt?.bytes ?? 0);
  }

  write(place: FilePlace, texts: string[]): number | undefined {
    return this.common.write(this, place, texts);
  }

  /** Adds the line with this number, and with the prompt itself where the file does not have it yet. */
  number(seq: number, texts: string[], newPrompt?: WrittenPrompt): number {
    const { beginning, fields } = this.common;
    const number = `${seq}`;
    texts.push(beginning, this.type, '","ts":"', timeText(this.at), '","seq":', number, ',"sourceSeq":', number, ',');
    texts.push(fields, '"data":');
    if (this.prompt) addPrompt(texts, this.#data, this.prompt, newPrompt !== undefined);
    else texts.push(this.#data);
    texts.push('}');
    return this.bytes + 2 * (number.length - 1) + (newPrompt?.bytes ?? 0);
  }
}

/** What is written in place of a record that is too long. */
function shortened({ common, type, at, length }: TraceRecord): TraceRecord {
  const data = { truncated: true, originalBytes: length, limitBytes: MAX_TRACE_EVENT_BYTES };
  return new TraceRecord(common, type, at, JSON.stringify(data));
}

/** Like `toISOString`, which takes longer than the rest of a line: records are made within the same few seconds. */
function timeText(at: number): string {
  const second = Math.floor(at / 1_000);
  if (second !== lastSecond.second)
    lastSecond = { second, text: new Date(second * 1_000).toISOString().slice(0, -'000Z'.length) };
  return `${lastSecond.text}${String(Math.floor(at) - second * 1_000).padStart(3, '0')}Z`;
}

let lastSecond = { second: 0, text: '1970-01-01T00:00:00.' };

/** The file of a session's trajectory in this folder. */
export function trajectoryFileOf(dir: string, sessionId: string): string {
  return path.join(dir, `${fileNameOf(sessionId)}.jsonl`);
}

/** `"sessionId":"…","runId":"…",`, ready to stand before the data. */
function formatFields(context: TraceContext): Omit<CommonFields, 'file' | 'write'> {
  let fields = '';
  for (const name of FIELDS) {
    const value = context[name];
    if (value !== undefined) fields += `"${name}":${quoteField(value)},`;
  }
  const beginning = `{"traceSchema":"openclaw-trajectory","schemaVersion":1,"traceId":${quoteField(context.sessionId)},"source":"runtime","type":"`;
  return { beginning, fields, bytes: Buffer.byteLength(beginning) + Buffer.byteLength(fields) + NUMBER_BYTES };
}

const FIELDS = ['sessionId', 'sessionKey', 'runId', 'workspaceDir', 'provider', 'modelId', 'modelApi'] as const;

/** Most records have the same few sessions, folders and models. */
const quoteField = remembered(256, (value) => JSON.stringify(boundText(value, 512)));

const SPARE_BYTES = 64;
const NUMBER_BYTES = '","ts":"2026-01-01T00:00:00.000Z","seq":0,"sourceSeq":0,"data":}'.length;
const TRUNCATED_LINE_BYTES = 8 * 1024;

interface LastRecord {
  readonly seq: number;
  /** The file has reached its limit and says so. */
  readonly isFull: boolean;
}

/**
 * The fields are read from the text, because parsing a long line for two fields would cost more than writing the next.
 */
function lastRecordOf({ lastLine }: FilePlace): LastRecord {
  const found = /"source":"runtime","type":"([a-z.]+)","ts":"[^"]*","seq":(\d{1,15}),/.exec(lastLine ?? '');
  return { seq: Number(found?.[2] ?? 0), isFull: found?.[1] === 'trace.truncated' };
}

/** Atrium or a client makes ids and keys. A file name is never made of text that a client wrote. */
export function fileNameOf(sessionId: string): string {
  if (/^[A-Za-z0-9_-]{1,120}$/.test(sessionId)) return sessionId;
  const hash = createHash('sha256').update(sessionId).digest('hex').slice(0, 12);
  return `${sessionId.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 80)}-${hash}`;
}
