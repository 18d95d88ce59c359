// The latest run of a session, in the few facts that tools and status answers show.

import type { Usage } from '../protocol/usage.ts';
import type { Store } from '../store/store.ts';

export interface LastRun {
  readonly runId: string;
  readonly status: string;
  readonly startedAt: string;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly error?: string | undefined;
}

export async function lastRunOf(store: Store, sessionId: string): Promise<LastRun | undefined> {
  const [run] = await store.select('runs', { where: { sessionId }, orderBy: [['startedAt', 'desc']], limit: 1 });
  if (!run) return undefined;
  const { provider, model, usage, error } = run.outcome ?? {};
  return {
    runId: run.runId,
    status: run.status,
    startedAt: new Date(run.startedAt).toISOString(),
    model: model === undefined ? undefined : [provider, model].filter(Boolean).join('/'),
    usage,
    error: error?.slice(0, 200),
  };
}
