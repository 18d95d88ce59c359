// What every part of Atrium may know about a handler: its name and owner, how it was called, and how the call ended.
// The runner in `hooks` makes these records; composition, reports and commands only read them.

export const STABILITIES = ['static', 'session', 'run'] as const;

/** How often the text of a layer may change. */
export type Stability = (typeof STABILITIES)[number];

export type OnError = 'skip' | 'abort';

/** Rules are handlers without code; reports name them differently. */
export type Authorship = 'handler' | 'rule';

export interface HandlerInfo {
  readonly id: string;
  /** What brought this handler: `atrium`, a hook pack, a plugin or a configuration file. */
  readonly owner: string;
  readonly priority: number;
  readonly description?: string | undefined;
  /** A handler that declares no stability makes no promise, and nothing is checked. */
  readonly stability?: Stability | undefined;
  readonly onError: OnError;
  readonly timeoutMs: number;
  readonly authorship: Authorship;
}

export type HandlerOutcome = 'done' | 'threw' | 'timed-out' | 'invalid';

export interface HandlerCall {
  readonly hook: string;
  readonly id: string;
  readonly owner: string;
  readonly ms: number;
  readonly outcome: HandlerOutcome;
  readonly error?: string;
}

/** The code that calls a handler throws this when the handler finished but left something that is not a value. */
export class InvalidHandlerResult extends Error {}
