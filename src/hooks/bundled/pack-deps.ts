// What the bundled hook packs need of the gateway, handed to them as `event.context.deps`. Packs of other people get none
// of it: they have Node, and what the event tells them.
//
// Errors: each call rejects when it cannot be done; the pack's call is then recorded as failed.

import type { InternalHookEvent } from '../../protocol/bootstrap-event.ts';

export interface PackDeps {
  /** Where private log files of the gateway lie. */
  readonly logsDir: string;
  /** An IANA name. */
  readonly timezone: string;
  readonly agentIds: readonly string[];
  /** The operator's settings for this pack: its entry in `hooks.internal.entries`. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The last things that people and the agent said to each other in a session, the oldest first. */
  readMessages(sessionId: string, limit: number): Promise<readonly SaidMessage[]>;
  /** False where an agent's memory is withheld, so that nothing may come out of it and nothing should go into it. */
  mayRemember(sessionKey: string): Promise<boolean>;
  /** A file of an agent's workspace; undefined when it is not there, lies outside, or is no text of bounded size. */
  readFile(agentId: string, name: string): Promise<string | undefined>;
  /** Makes a file in an agent's workspace. False when there is one of that name, which stays as it is. */
  createFile(agentId: string, path: string, text: string): Promise<boolean>;
  /** Tells an agent something in a session of its own, through the inbox, once for each id. The answer goes nowhere. */
  startRun(run: { readonly agentId: string; readonly text: string; readonly id: string }): Promise<void>;
}

export interface SaidMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export function packDepsOf({ context }: InternalHookEvent): PackDeps {
  const { deps } = context;
  if (typeof deps !== 'object' || deps === null) throw new Error('this pack needs a gateway around it');
  return deps as PackDeps;
}
