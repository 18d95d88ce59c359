// What every part of Atrium may know about a handler: who it is, how it was called, how it went. The runner in
// `hooks` makes these records; composition, reports and commands only read them.

export const STABILITIES = ['static', 'session', 'run'] as const;

/** How often the text of a layer may change. */
export type Stability = (typeof STABILITIES)[number];

export type OnError = 'skip' | 'abort';

/** Rules are handlers without code; reports name them differently. */
export type Authorship = 'handler' | 'rule';

export interface HandlerInfo {
  readonly id: string;
  /** Who brought this handler: `atrium`, a hook pack, a plugin, a configuration file. */
  readonly owner: string;
  readonly priority: number;
  readonly description?: string | undefined;
  /** Undeclared makes no promise and is not checked. */
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

/** Thrown by whoever invokes a handler, when the handler settled but left something that is no value. */
export class InvalidHandlerResult extends Error {}
