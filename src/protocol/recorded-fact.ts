// What is recorded about a run or a session, before it is written: the names of the trajectory's records and the fields
// of each. `content` holds words that people or models wrote, which are kept only when the run's gate has passed.
// Everything else is the gateway's own: names, sizes, times.

import type { RunStatus, SessionEndReason } from './live-event.ts';
import type { Usage } from './usage.ts';

type Values = Readonly<Record<string, unknown>>;

export type RecordedFact =
  | ({ readonly type: 'session.started' } & RecordedStart)
  | (OfRun & { readonly type: 'context.compiled'; readonly facts: Values; readonly content: Values })
  /** From now on, everything that the run has told may be written. */
  | (OfRun & { readonly type: 'gate.passed' })
  /**
   * No model is asked. When the gate blocked the run, its content is recorded as hashes, now and later. `by` is the
   * plugin that decided or answered.
   */
  | (OfRun & { readonly type: 'prompt.skipped'; readonly reason: 'blocked' | 'answered'; readonly by: string })
  | (OfRun & RecordedRequest & { readonly type: 'prompt.submitted' })
  /** Only the debug logs use this. */
  | (OfRun & { readonly type: 'model.delta'; readonly kind: 'text' | 'thinking'; readonly delta: string })
  | (OfRun & RecordedModelCall & { readonly type: 'model.completed' })
  | (OfRun & {
      readonly type: 'tool.started';
      readonly toolCallId: string;
      readonly name: string;
      readonly params: unknown;
    })
  | (OfRun & {
      readonly type: 'tool.ended';
      readonly toolCallId: string;
      readonly name: string;
      readonly isError: boolean;
      readonly ms: number;
      readonly content: string;
    })
  | { readonly type: 'hook.called'; readonly call: RecordedCall }
  | (OfRun & {
      readonly type: 'delivery.ended';
      /** Given for runs of an earlier process, where the caller has looked the session up. */
      readonly sessionId?: string | undefined;
      readonly sessionKey?: string | undefined;
      readonly facts: Values;
    })
  /** The run is over. This becomes `trace.artifacts` and `session.ended`. A run that this process did not begin names its session. */
  | (OfRun &
      RecordedEnd & {
        readonly type: 'trace.artifacts';
        readonly sessionId?: string | undefined;
        readonly sessionKey?: string | undefined;
      })
  /** The session itself is over, not only one of its runs. */
  | {
      readonly type: 'session.ended';
      readonly sessionId: string;
      readonly sessionKey: string;
      readonly reason: SessionEndReason;
    };

export type RecordedFactType = RecordedFact['type'];

interface OfRun {
  readonly runId: string;
}

export interface RecordedStart {
  readonly runId: string;
  readonly sessionId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  readonly attempt: number;
  readonly workspaceDir?: string | undefined;
  /** What started the run: `user`, `heartbeat`, `cron`… */
  readonly trigger?: string | undefined;
  readonly channel?: string | undefined;
}

export interface RecordedRequest {
  readonly provider: string;
  readonly model: string;
  readonly api: string;
  readonly call: number;
  /** How many bytes are sent, images included. */
  readonly sentBytes: number;
  /** The body as it is sent, with images named by their hashes. Its exact bytes are kept as a capture, so only the debug logs use this field. */
  readonly body: string;
  /** What a prompt cache depends on. It is computed only when a debug log needs it. */
  readonly cacheTrace: () => {
    readonly system: string;
    /** What the run was asked, where it is a run's own request. */
    readonly prompt?: string | undefined;
    readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  };
}

export interface RecordedModelCall {
  readonly call: number;
  readonly stop: string;
  readonly usage: Usage;
  readonly ms: number;
  /** How long it took until the provider began to answer. */
  readonly firstByteMs?: number | undefined;
  /** The cost in the currency of the configured prices, or undefined where no prices are known. */
  readonly cost?: number | undefined;
  readonly error?: string | undefined;
  readonly text?: string | undefined;
  /** Only the debug logs use the thoughts and the calls; each call that starts is recorded by itself. */
  readonly thinking?: string | undefined;
  readonly toolCalls?: readonly RecordedToolCall[] | undefined;
}

export interface RecordedToolCall {
  readonly id: string;
  readonly name: string;
  readonly params: unknown;
}

/** One call of one handler, as the hook runner tells it. */
export interface RecordedCall {
  readonly hook: string;
  readonly id: string;
  readonly owner: string;
  readonly at: number;
  readonly ms: number;
  readonly outcome: string;
  readonly error?: string | undefined;
  /** The error repeats nothing that somebody said. */
  readonly isOwnWords?: boolean | undefined;
  readonly changed: readonly string[];
  /** The fields with their values before and after. */
  readonly diff?: (() => readonly object[]) | undefined;
  readonly runId?: string | undefined;
  readonly sessionKey?: string | undefined;
}

export interface RecordedEnd {
  readonly status: RunStatus;
  readonly errorCode?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly ms?: number | undefined;
  readonly error?: string | undefined;
  readonly reply?: string | undefined;
}
