// A page of a transcript may begin in the middle of a run. The rest of that run is left to the page before, because a
// turn is shown whole.

import type { TranscriptPage } from '../client/gateway-client.ts';

export function wholeRuns(page: TranscriptPage): TranscriptPage {
  const { sessionId, entries, before } = page;
  const [first] = entries;
  const next = entries.find(({ runId }) => runId !== first?.runId);
  // A run that is longer than a page is shown from where the page begins.
  if (before === null || first === undefined || next === undefined) return page;
  return { sessionId, entries: entries.slice(entries.indexOf(next)), before: next.position };
}
