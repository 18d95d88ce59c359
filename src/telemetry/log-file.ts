// The log as a file of JSON lines, one object a line, with the field names that readers of such logs know: `level`,
// `time`, `pid`, `msg`, and the ids. docs/decisions/0013 says why no library writes it.
// Promise: no line throws or waits. A secret that is recognised is in no line. A line is written before the call
// returns, so that it survives the death of the process at the next moment.

import { countOf } from '../protocol/count-of.ts';
import { isAtLeast, type Log, type LogFields, type LogLevel, type LogThreshold, type Say } from '../protocol/log.ts';
import { clip } from '../protocol/one-line.ts';
import { redactText } from '../recorder/redact.ts';
import { RotatingFile } from './rotating-file.ts';

export interface LogFileSettings {
  /** Hides secrets in a text; by default those that Atrium knows. */
  readonly redact?: ((text: string) => string) | undefined;
  readonly file: string;
  readonly level: LogThreshold;
  readonly maxFileBytes: number;
  readonly now: () => number;
  /** Called when the file cannot be written for the first time, and when it can be written again. */
  readonly warn: (sentence: string) => void;
}

/** A line of the file. */
export interface LogLine extends LogFields {
  readonly level: LogLevel;
  /** ISO 8601, in UTC. */
  readonly time: string;
  readonly pid: number;
  readonly msg: string;
}

const MAX_SENTENCE = 16_384;
const MAX_FIELD = 512;
/** While the file cannot be written, it is tried so often. */
const RETRY_MS = 10_000;

export class LogFile implements Log {
  readonly #settings: LogFileSettings;
  readonly #file: RotatingFile;
  #trouble: { readonly triedAt: number; readonly lost: number } | undefined;

  readonly debug = this.#say('debug');
  readonly info = this.#say('info');
  readonly warn = this.#say('warn');
  readonly error = this.#say('error');
  readonly fatal = this.#say('fatal');

  constructor(settings: LogFileSettings) {
    this.#settings = settings;
    this.#file = new RotatingFile({ file: settings.file, maxBytes: settings.maxFileBytes, now: settings.now });
  }

  /** A line that is written later opens the file again. */
  close(): void {
    this.#file.close();
  }

  #say(level: LogLevel): Say {
    return (sentence, about = {}) => {
      const { level: threshold, now, redact = redactText } = this.#settings;
      if (!isAtLeast(level, threshold)) return;
      const time = new Date(now()).toISOString();
      // The ids come before the other fields, so that no id can take the place of one of those.
      const line: LogLine = {
        ...shownIds(about, redact),
        level,
        time,
        pid: process.pid,
        msg: shownText(sentence, MAX_SENTENCE, redact),
      };
      this.#append(`${JSON.stringify(line)}\n`);
    };
  }

  #append(line: string): void {
    const { file, now, warn } = this.#settings;
    const trouble = this.#trouble;
    const at = now();
    if (trouble && Math.abs(at - trouble.triedAt) < RETRY_MS) {
      this.#trouble = { ...trouble, lost: trouble.lost + 1 };
      return;
    }
    try {
      this.#file.append(line);
      this.#trouble = undefined;
      if (trouble) warn(`The log file ${file} can be written again; ${countOf(trouble.lost, 'line')} could not.`);
    } catch (error) {
      this.#file.close();
      this.#trouble = { triedAt: at, lost: (trouble?.lost ?? 0) + 1 };
      const { code = 'it failed' } = error as NodeJS.ErrnoException;
      const reason = code === 'ELOOP' ? 'it is a link' : code;
      if (!trouble)
        warn(`The log file ${file} cannot be written (${reason}). Make it writable, or name another in logging.file.`);
    }
  }
}

function shownIds(about: LogFields, redact: (text: string) => string): LogFields {
  const ids = Object.entries(about).filter(([, id]) => id !== undefined);
  return Object.fromEntries(ids.map(([name, id]) => [name, shownText(String(id), MAX_FIELD, redact)]));
}

function shownText(text: string, maxChars: number, redact: (text: string) => string): string {
  // A secret that the limit would cut in two is recognised before.
  return clip(redact(text.slice(0, maxChars + 512)), maxChars);
}
