// Builds the row that shortens a conversation, from the plan, the summary if there is one, and the pins. The functions
// are pure: a preview that needs no summary gets exactly the text that a run would get.

import type { WorkspaceBootstrapFile } from '../../protocol/bootstrap-file.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { UserMessage } from '../../protocol/message.ts';
import type { TranscriptRow } from '../../store/tables.ts';
import { historyOf, toldEntries } from '../history-of.ts';
import { COMPACTION_AUTHOR, piecesOfEntry } from '../message-spans.ts';
import type { Contribution } from '../prepare-message.ts';
import { checkPins } from './check-pins.ts';
import type { CompactionBounds, CompactionFacts } from './compaction-facts.ts';
import type { CompactionSubject } from './compaction-subject.ts';
import type { CompactionPlan } from './plan-compaction.ts';
import { tokensOfMessage } from './request-size.ts';
import { clipMiddle } from './summary-request.ts';

export interface ShortenedHistory {
  readonly message: UserMessage;
  readonly meta: JsonObject;
  readonly facts: CompactionFacts;
}

/** Undefined when there is neither a summary nor anything to prune. */
export function shortenHistory(
  subject: CompactionSubject,
  plan: CompactionPlan,
  summary: { readonly text: string; readonly by: string } | undefined,
  pinned: { readonly pins: readonly string[]; readonly files: readonly WorkspaceBootstrapFile[] },
): ShortenedHistory | undefined {
  const { entries, system, why, scale, fixedTokens } = subject;
  const bounds = summary ? plan.summarised?.bounds : plan.pruned?.bounds;
  if (!bounds) return undefined;
  const head = summary ? summaryPieces(summary.text, entries, bounds) : earlierPieces(entries);
  const { missing, lost } = checkPins(pinned.pins, {
    // Words of people and tools do not count here: a person who quotes a pin could otherwise remove it.
    texts: [...system, ...head.filter(({ origin }) => origin !== 'message')].map(({ text }) => text),
    files: pinned.files,
  });
  const pieces = missing.length === 0 ? head : [...openedBy(head), pinPiece(missing.map(({ text }) => text))];
  const row = rowOf(pieces, bounds);
  const said = historyOf([...entries, row], subject.runId).reduce(
    (sum, { message }) => sum + tokensOfMessage(message),
    0,
  );
  const facts: CompactionFacts = {
    ...bounds,
    why,
    pins: {
      added: missing.map(({ pin }) => pin),
      lost: lost.map(({ pin, reason }) => `${pin} (${reason})`),
    },
    tokensBefore: Math.ceil(plan.tokensBefore),
    tokensAfter: Math.ceil(fixedTokens + said * scale),
    pruned: plan.pruned?.kinds ?? [],
    by: summary?.by ?? null,
  };
  return { message: row.message, meta: { ...row.meta, ...(facts as unknown as JsonObject) }, facts };
}

/** The text around a summary, which says what it is and where it ends. */
export function frameSummary(text: string): string {
  return `${PREFACE}\n\n<summary>\n${text.replace(/<(?=\/\s*summary)/gi, '&lt;')}\n</summary>`;
}

const PREFACE =
  '[The earlier part of this conversation was shortened. What follows stands in its place. It is a record of what was said, not a new message.]';

function summaryPieces(
  text: string,
  entries: readonly TranscriptRow[],
  bounds: CompactionBounds,
): readonly Contribution[] {
  const asked = questionOf(entries, bounds);
  return [
    { origin: COMPACTION_AUTHOR, text: frameSummary(text) },
    ...(asked === undefined
      ? []
      : [
          { origin: COMPACTION_AUTHOR, text: '\n\nWhat was asked last, in its own words:\n' },
          { origin: 'message', text: clipMiddle(asked, LONGEST_QUESTION_CHARS) },
        ]),
  ];
}

const LONGEST_QUESTION_CHARS = 20_000;

/** When a turn is cut in the middle, its question must stay in its own words and not only in a summary. */
function questionOf(entries: readonly TranscriptRow[], { summarisedTo }: CompactionBounds): string | undefined {
  const isSaid = ({ kind, position }: TranscriptRow) => kind === 'message' && position > summarisedTo;
  const first = entries.find(isSaid);
  if (!first || first.message.role === 'user') return undefined;
  const asked = entries.findLast(
    ({ kind, position, message, meta }) =>
      kind === 'message' && position <= summarisedTo && message.role === 'user' && meta.revision !== true,
  );
  return asked?.message.role === 'user' ? asked.message.content : undefined;
}

/** Without a new summary, the earlier one stays, in the same words. */
function earlierPieces(entries: readonly TranscriptRow[]): readonly Contribution[] {
  const [first] = toldEntries(entries);
  return first?.kind === 'compaction' ? piecesOfEntry(first) : [];
}

function openedBy(pieces: readonly Contribution[]): readonly Contribution[] {
  return pieces.length > 0 ? pieces : [{ origin: COMPACTION_AUTHOR, text: PREFACE }];
}

function pinPiece(texts: readonly string[]): Contribution {
  return {
    origin: 'session.pins',
    text: `\n\nWhat holds throughout, as the operator has pinned it:\n${texts.join('\n')}`,
  };
}

/** The position of the row does not matter, as long as it is the last. */
function rowOf(
  pieces: readonly Contribution[],
  bounds: CompactionBounds,
): TranscriptRow & { readonly message: UserMessage } {
  return {
    sessionId: '',
    position: Number.MAX_SAFE_INTEGER,
    runId: '',
    at: 0,
    kind: 'compaction',
    message: { role: 'user', content: pieces.map(({ text }) => text).join('') },
    shown: null,
    meta: { ...bounds, authors: pieces.map(({ origin, text }) => [origin, text.length]) },
  };
}
