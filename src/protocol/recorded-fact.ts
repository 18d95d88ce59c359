// What is written down about how a run or a session went, before it is written: the names of the trajectory's records
// with what each brings. `content` is somebody's words, which are kept only when the run's gate has passed; everything
// else is the gateway's own: names, sizes, times.

import type { RunStatus, SessionEndReason } from './live-event.ts';
import type { Usage } from './usage.ts';

type Values = Readonly<Record<string, unknown>>;

export type RecordedFact =
  | ({ readonly type: 'session.started' } & RecordedStart)
  | (OfRun & { readonly type: 'context.compiled'; readonly facts: Values; readonly content: Values })
  /** Lets what the run has told so far be written. */
  | (OfRun & { readonly type: 'gate.passed' })
  /** The gate blocked the run: what it was about is recorded as hashes, now and later. `by` is the plugin that decided. */
  | (OfRun & { readonly type: 'prompt.skipped'; readonly by: string; readonly content?: Values | undefined })
  | (OfRun & RecordedRequest & { readonly type: 'prompt.submitted' })
  /** For the debug logs only. */
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
      /** Known for runs of an earlier process where the caller has looked it up. */
      readonly sessionId?: string | undefined;
      readonly sessionKey?: string | undefined;
      readonly facts: Values;
    })
  /** The run is over. Becomes `trace.artifacts` and `session.ended`. */
  | (OfRun & RecordedEnd & { readonly type: 'trace.artifacts' })
  /** The session itself is over, not only a run of it. */
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
  /** What started it: `message`, `api`, `cron`… */
  readonly trigger?: string | undefined;
  readonly channel?: string | undefined;
}

export interface RecordedRequest {
  readonly provider: string;
  readonly model: string;
  readonly api: string;
  readonly call: number;
  /** As it is sent; its exact bytes are kept as a capture, so only the debug logs look at it. */
  readonly body: string;
  /** What a prompt cache looks at, worked out when a debug log wants it. */
  readonly cacheTrace: () => {
    readonly system: string;
    readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  };
}

export interface RecordedModelCall {
  readonly call: number;
  readonly stop: string;
  readonly usage: Usage;
  readonly ms: number;
  /** In the currency in which the configuration names its prices; undefined where no prices are known. */
  readonly cost?: number | undefined;
  readonly error?: string | undefined;
  readonly text?: string | undefined;
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
  readonly changed: readonly string[];
  /** What it changed them from and to. */
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
