// The sessions of a gateway, as others may ask for them: ended, deleted, and shown with what plugins keep for them.

import type { RunParts } from '../../agent/run-parts.ts';
import type { SessionEndReason } from '../../protocol/live-event.ts';
import { planForget } from '../../recorder/prune-captures.ts';
import { planSessionDeletion, planSessionEnd } from '../../sessions/end-session.ts';
import { PreconditionFailedError } from '../../store/errors.ts';
import type { SessionRow } from '../../store/tables.ts';
import type { ShownSession } from '../plugins/session-extensions.ts';
import { sessionHookContext } from '../session-hook-context.ts';
import { isOver, type Runs } from './runs.ts';

export interface SessionsParts {
  readonly run: RunParts;
  readonly runs: Pick<Runs, 'stopAll'>;
  /** Removes what was written down of these sessions outside of the store. */
  readonly forgetRecords: (sessionIds: readonly string[]) => Promise<void>;
  /** Ends its commands in the background, and removes what commands printed. */
  readonly forgetProcesses: (sessionKey: string) => Promise<void>;
  /** Plugins release what they hold for a session that was deleted. */
  readonly releaseSession: (sessionKey: string) => Promise<void>;
  /** Session rows with what plugins show of them. */
  readonly show: (sessions: readonly SessionRow[]) => Promise<readonly ShownSession[]>;
}

export class Sessions {
  readonly #parts: SessionsParts;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
  }

  show(sessions: readonly SessionRow[]): Promise<readonly ShownSession[]> {
    return this.#parts.show(sessions);
  }

  /** Ends the session of this key. False when it has none. */
  async end(sessionKey: string, reason: SessionEndReason): Promise<boolean> {
    const { run } = this.#parts;
    const { store } = run;
    const [session] = await store.select('sessions', { where: { sessionKey, endedAt: null }, limit: 1 });
    if (!session) return false;
    const endedAt = run.now();
    const { sessionId, agentId, startedAt } = session;
    const context = sessionHookContext(session, run.context.workspaceDirOf(agentId), reason);
    const entries = await store.select('transcript', { where: { sessionId }, orderBy: [['position', 'asc']] });
    const messages = entries.map(({ message }) => message);
    if (reason === 'reset' || reason === 'new') {
      await run.tell('session-resetting', { reason, messages, context });
      await run.tell('command-given', { command: reason, sessionKey, previous: session, source: 'api' });
    }
    try {
      await store.commit(planSessionEnd(session, reason, endedAt), { site: 'session' });
    } catch (error) {
      // Another caller ended it meanwhile.
      if (error instanceof PreconditionFailedError) return false;
      throw error;
    }
    const durationMs = run.now() - startedAt;
    await run.tell('session-ended', { session, reason, messageCount: entries.length, durationMs, context });
    return true;
  }

  /** Stops what it is doing, ends it and removes what was said. False when there is none. */
  async delete(sessionKey: string): Promise<boolean> {
    const { run, runs, forgetRecords, forgetProcesses, releaseSession } = this.#parts;
    const { store } = run;
    if ((await store.count('sessions', { sessionKey })) === 0) return false;
    await runs.stopAll(sessionKey, 'its session was deleted');
    await this.end(sessionKey, 'deleted');
    const ended = await store.select('sessions', { where: { sessionKey } });
    const ofSession = await store.select('runs', { where: { sessionKey } });
    const runIds = ofSession.filter(isOver).map(({ runId }) => runId);
    const deletion = planSessionDeletion(ended, runIds, run.now());
    await forgetRecords(ended.map(({ sessionId }) => sessionId));
    await forgetProcesses(sessionKey);
    await store.commit(
      [
        ...(await planForget(store, runIds)),
        ...deletion,
        { remove: 'deadLetters', where: { sessionKey } },
        { remove: 'injections', where: { sessionKey } },
        { remove: 'pluginState', where: { sessionKey } },
        { remove: 'processes', where: { sessionKey } },
      ],
      { site: 'session' },
    );
    await releaseSession(sessionKey);
    return true;
  }
}
