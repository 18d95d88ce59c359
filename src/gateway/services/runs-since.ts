// The runs that began since a moment, the oldest first, page by page, so that the memory does not grow with their number.

import type { Condition, Store } from '../../store/store.ts';
import type { RunRow } from '../../store/tables.ts';

export interface RunsAsked {
  readonly since: number;
  readonly sessionKey?: string | undefined;
  readonly agentId?: string | undefined;
}

const PAGE = 200;

/** Runs of the same moment are always on the same page. */
export async function* runsSince(store: Store, { since, sessionKey, agentId }: RunsAsked): AsyncGenerator<RunRow> {
  const asked = { sessionKey, agentId };
  let startedAt: Condition = { gte: since };
  for (;;) {
    const page: readonly RunRow[] = await store.select('runs', {
      where: { startedAt, ...asked },
      orderBy: [['startedAt', 'asc']],
      limit: PAGE,
    });
    const end = page.at(-1)?.startedAt;
    if (end === undefined) return;
    if (page.length < PAGE) return yield* page;
    yield* page.filter((run) => run.startedAt !== end);
    yield* await store.select('runs', { where: { startedAt: end, ...asked } });
    startedAt = { gt: end };
  }
}
