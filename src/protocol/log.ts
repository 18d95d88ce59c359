// The log of the gateway as every part sees it: a level, one sentence for a person, and the ids of what the sentence is
// about. Where lines go, which levels are kept and how secrets are removed is decided where the log is built.
// Errors: none. Writing a line never throws and never waits.

/** The levels from the least to the most important. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** With `silent` no line is kept. */
export type LogThreshold = LogLevel | 'silent';

/** The ids by which lines, traces and records of the same thing are found. */
export interface LogFields {
  readonly agentId?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly runId?: string | undefined;
  /** The platform's id of the message that came in. */
  readonly inboundId?: string | undefined;
  readonly channel?: string | undefined;
  readonly accountId?: string | undefined;
  /** One part of an answer: `<run id>/<part>`. */
  readonly delivery?: string | undefined;
  readonly toolCallId?: string | undefined;
  readonly approvalId?: string | undefined;
  readonly jobId?: string | undefined;
  readonly pluginId?: string | undefined;
}

export type LogFieldName = keyof LogFields;

/** The names in the order in which people are shown the values. */
export const LOG_FIELDS: readonly LogFieldName[] = [
  'runId',
  'sessionKey',
  'agentId',
  'channel',
  'accountId',
  'inboundId',
  'delivery',
  'toolCallId',
  'approvalId',
  'jobId',
  'pluginId',
];

/** Writes one line of a level that the caller does not choose. */
export type Say = (sentence: string, about?: LogFields) => void;

export type Log = { readonly [Level in Exclude<LogLevel, 'trace'>]: Say };

export function isAtLeast(level: LogLevel, threshold: LogThreshold): boolean {
  return threshold !== 'silent' && LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(threshold);
}
