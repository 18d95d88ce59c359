// What the bundled hook packs need from the gateway. It is handed to them as `event.context.deps`. Packs that users
// install get none of it; they use Node and what the event tells them.
// Errors: each call rejects when it cannot be done; the pack's call is then recorded as failed.

import type { InternalHookEvent } from '../../protocol/bootstrap-event.ts';

export interface PackDeps {
  /** The folder of the gateway's private log files. */
  readonly logsDir: string;
  /** An IANA name. */
  readonly timezone: string;
  readonly agentIds: readonly string[];
  /** The operator's settings for this pack: its entry in `hooks.internal.entries`. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The last messages between people and the agent in a session, the oldest first. */
  readMessages(sessionId: string, limit: number): Promise<readonly SaidMessage[]>;
  /**
   * Returns false where an agent's memory is withheld: nothing may be read from it, and nothing should be written to
   * it.
   */
  mayRemember(sessionKey: string): Promise<boolean>;
  /**
   * Reads a file of an agent's workspace. Gives undefined when the file does not exist, lies outside the workspace, or
   * is not text of bounded size.
   */
  readFile(agentId: string, name: string): Promise<string | undefined>;
  /**
   * Creates a file in an agent's workspace. Gives false when a file of that name exists already; that file is not
   * changed.
   */
  createFile(agentId: string, path: string, text: string): Promise<boolean>;
  /**
   * Sends an agent a message in a separate session, through the inbox, once for each id. The answer is not delivered
   * anywhere.
   */
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
