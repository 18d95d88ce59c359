// The debug logs by name, for the command line, the API and the recorder. What each of them contains is described in
// docs/recorder.md. The trajectory is no debug log: it is on unless the operator says otherwise. Where it is off, it can be
// switched on for a while in the same way, so it has a name here.

export const DEBUG_LOG_NAMES = ['payload', 'raw-stream', 'cache-trace', 'model-payload', 'trajectory'] as const;
export type DebugLogName = (typeof DEBUG_LOG_NAMES)[number];

/** How much the model payload log says of a request: its sizes, its tools too, or all of it without secrets. */
export const MODEL_PAYLOAD_LEVELS = ['summary', 'tools', 'full-redacted'] as const;
export type ModelPayloadLevel = (typeof MODEL_PAYLOAD_LEVELS)[number];

/** A debug log that is on. */
export interface ActiveDebugLog {
  readonly log: DebugLogName;
  /** The only session that is logged, or null for all of them. */
  readonly sessionKey: string | null;
  /** When it goes off by itself, or null for a log that the environment or the configuration switched on. */
  readonly until: number | null;
  /** The file, or the folder of trajectories, or null for the log of the gateway. */
  readonly file: string | null;
}
