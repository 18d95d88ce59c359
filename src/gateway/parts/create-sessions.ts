// Builds the sessions: how their starts and ends are told, and everything that goes with a session that is deleted.

import { sessionContext, sessionTelling } from '../../agent/tell-session.ts';
import type { AttachmentStore } from '../../attachments/attachment-store.ts';
import type { KnownParts } from '../../recorder/known-parts.ts';
import { planForget } from '../../recorder/prune-captures.ts';
import { Sessions } from '../../sessions/sessions.ts';
import type { Store } from '../../store/store.ts';
import type { Children } from '../services/children.ts';
import type { Runs } from '../services/runs.ts';
import type { ChatRecordsPart } from './create-chat-records.ts';
import type { BuiltDraftParts } from './create-draft-parts.ts';
import type { GatewayPlugins } from './create-plugins.ts';
import type { Records } from './create-records.ts';

export interface SessionOptions {
  readonly store: Store;
  readonly records: Pick<Records, 'hooks' | 'recorder' | 'teller'>;
  readonly drafting: Pick<BuiltDraftParts, 'engine' | 'exec'>;
  readonly plugins: Pick<GatewayPlugins, 'cleanup' | 'extensions'>;
  readonly attachments: Pick<AttachmentStore, 'forget'>;
  readonly chatRecords: Pick<ChatRecordsPart, 'compare'>;
  readonly knownParts: Pick<KnownParts, 'forget'>;
  readonly runs: Pick<Runs, 'withoutRuns'>;
  readonly children: Pick<Children, 'end'>;
  readonly startedAt: number;
  readonly now: () => number;
}

export function createSessions(options: SessionOptions): Sessions {
  const { store, records, drafting, plugins, attachments, chatRecords, knownParts, runs, children, now } = options;
  const { engine, exec } = drafting;
  return new Sessions({
    store,
    now,
    telling: (occasion, isRecovered) =>
      sessionTelling(records.teller.tell, {
        contextOf: (session) => sessionContext(session, engine.workspaceDirOf(session.agentId), occasion, isRecovered),
        // For an end that is told late, it is not known any more which client or platform asked for it.
        command: { source: isRecovered ? 'recovery' : 'api' },
      }),
    isEndHeard: () => records.hooks.has('session_end'),
    upSince: options.startedAt,
    withoutRuns: (sessionKey, stopping, work) => runs.withoutRuns(sessionKey, stopping, work),
    endChild: (sessionKey, outcome) => children.end(sessionKey, outcome),
    planForget: async (runIds) => {
      await knownParts.forget();
      return planForget(store, runIds);
    },
    forgetRecords: (sessionIds) => records.recorder.forgetSessions(sessionIds),
    forgetAttachments: (rows) => attachments.forget(rows),
    forgetProcesses: (sessionKey) => exec.processes.forget(sessionKey),
    releaseSession: async (sessionKey) => {
      await chatRecords.compare(sessionKey);
      await plugins.cleanup.releaseSession(sessionKey, 'delete');
    },
    show: (rows) => plugins.extensions.show(rows),
  });
}
