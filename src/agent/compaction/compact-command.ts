// `/compact`: compacts a conversation because a person asked for it, at any size, and says what it did. It waits for
// its turn like a message and passes the same gate, because the text behind it is shown to a model.

import type { OpenRun } from '../open-run.ts';
import type { RequestDraft } from '../request-draft.ts';
import type { RunAnswer } from '../run-answer.ts';
import type { RunParts } from '../run-parts.ts';
import { commitCompaction, compact } from './compact.ts';
import { factsOf } from './compaction-facts.ts';
import { describeCompaction } from './describe-compaction.ts';
import { subjectOfDraft } from './fit-request.ts';

export async function compactNow(parts: RunParts, run: OpenRun, draft: RequestDraft): Promise<RunAnswer> {
  return { kind: 'answer', reply: await answerOf(parts, run, draft) };
}

async function answerOf(parts: RunParts, run: OpenRun, draft: RequestDraft): Promise<string> {
  const { runId, text } = run;
  const { sessionId } = run.session;
  // An attempt that was interrupted after its commit has already done what was asked for.
  const [done] = await parts.store.select('transcript', { where: { sessionId, runId, kind: 'compaction' }, limit: 1 });
  if (done) return describeCompaction(factsOf(done));
  const subject = await subjectOfDraft(parts, run, draft, 'asked');
  const { made, failure } = await compact(parts, run, subject, text);
  if (made) await commitCompaction(parts, run, made);
  const without = failure === undefined ? [] : [`There is no summary: ${failure}.`];
  if (!made)
    return [...without, failure === undefined ? 'There is nothing to shorten yet.' : 'Nothing was changed.'].join(' ');
  return [describeCompaction(made.facts), ...without].join(' ');
}
