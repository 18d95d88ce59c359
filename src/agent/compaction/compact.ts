// Compacts a conversation: it decides how, tells the listeners before, has the summary written, checks the pins, and
// gives the row that says how everything before it is shown to the model from now on. The caller commits that row
// together with what belongs to it; no entry is removed.
// Errors: throws only the reason of the run's signal. Promise: a summary that fails for any reason loses nothing. Old
// tool results are then pruned and the rest stays.

import type { Insert, Write } from '../../store/store.ts';
import { idsOf } from '../ids-of.ts';
import type { OpenRun } from '../open-run.ts';
import type { RunParts } from '../run-parts.ts';
import type { CompactionFacts } from './compaction-facts.ts';
import { type CompactionSubject, planFor } from './compaction-subject.ts';
import { describeCompaction, describePruning } from './describe-compaction.ts';
import type { SummaryPlan } from './plan-compaction.ts';
import { tokensOfMessage } from './request-size.ts';
import { frameSummary, shortenHistory } from './shorten-history.ts';
import { tellAfterCompaction, tellBeforeCompaction } from './tell-compaction.ts';
import { type WrittenSummary, writeSummary } from './write-summary.ts';

export interface Compaction {
  /** Undefined when the conversation was not shortened. */
  readonly made?: MadeCompaction | undefined;
  /** Why there is no summary although there were entries to summarise. */
  readonly failure?: string | undefined;
}

export interface MadeCompaction {
  /** This write must be part of the next commit. */
  readonly write: Insert<'transcript'>;
  readonly facts: CompactionFacts;
}

export async function compact(
  parts: RunParts,
  run: OpenRun,
  subject: CompactionSubject,
  instructions?: string,
): Promise<Compaction> {
  const plan = planFor(subject);
  if (!plan || (gaveUp.has(run) && !plan.pruned)) return {};
  await tellBeforeCompaction(parts, run, subject, plan);
  const summary =
    plan.summarised && !gaveUp.has(run)
      ? await summaryOf(parts, run, subject, plan.summarised, instructions)
      : undefined;
  if (summary?.kind === 'failed') gaveUp.add(run);
  const failure = summary?.kind === 'failed' ? summary.reason : undefined;
  const { pins } = parts.compaction(run.agentId);
  const attempt = shortenHistory(subject, plan, summary?.kind === 'written' ? summary : undefined, {
    pins,
    files: pins.length === 0 ? [] : await subject.files(),
  });
  // The pins may take more tokens than pruning a few results has saved.
  const shortened = attempt && attempt.facts.tokensAfter < attempt.facts.tokensBefore ? attempt : undefined;
  if (failure !== undefined) {
    const rest = shortened ? `Instead, ${describePruning(shortened.facts.pruned)}.` : 'It stays as it is.';
    parts.warn(`The conversation ${run.sessionKey} could not be summarised: ${failure}. ${rest}`, idsOf(run));
  }
  if (!shortened) return { failure };
  const { message, meta, facts } = shortened;
  return { made: { write: run.ledger.compaction(message, describeCompaction(facts), meta), facts }, failure };
}

/** A writer that failed is not asked again in the same run, because each try may take its whole time limit. */
const gaveUp = new WeakSet<OpenRun>();

/** One more commit that the run waits for: after it, requests show the shorter conversation. */
export async function commitCompaction(
  parts: RunParts,
  run: OpenRun,
  { write, facts }: MadeCompaction,
  others: { readonly before?: readonly Write[]; readonly behind?: readonly Write[] } = {},
): Promise<void> {
  await run.ledger.commit('compaction', [...(others.before ?? []), write, ...(others.behind ?? [])]);
  const { added, lost } = facts.pins;
  if (added.length > 0)
    parts.warn(`A compaction of ${run.sessionKey} had to say these pins again: ${quoted(added)}.`, idsOf(run));
  if (lost.length > 0)
    parts.warn(`A compaction of ${run.sessionKey} could not keep these pins: ${quoted(lost)}.`, idsOf(run));
  await tellAfterCompaction(parts, run, { write, facts });
}

function quoted(texts: readonly string[]): string {
  return texts.map((text) => JSON.stringify(text)).join(', ');
}

async function summaryOf(
  parts: RunParts,
  run: OpenRun,
  { model, summaryTokens, scale }: CompactionSubject,
  { older, olderTokens }: SummaryPlan,
  instructions: string | undefined,
): Promise<WrittenSummary> {
  const summary = await writeSummary(parts, run, { older, model, maxTokens: summaryTokens, instructions });
  if (summary.kind === 'failed') return summary;
  const tokens = tokensOfMessage({ role: 'user', content: frameSummary(summary.text) }) * scale;
  return tokens < olderTokens ? summary : { kind: 'failed', reason: 'it came out longer than what it would stand for' };
}
