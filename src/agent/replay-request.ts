// Drafts the requests of a recorded run again from what was stored: the frame with its inputs, and the transcript. No
// hook, tool, file or model is asked. With changes it shows what the request would have been.
//
// Errors: rejects with ReplayInputGoneError when an input is not stored any more, and as composition does.
// Promise: without changes, the request is the one that was sent; the model's serialiser then writes the same bytes.

import type { Composition } from '../context/compose.ts';
import { restoreInputs } from '../context/replay/composition-record.ts';
import { rebaseText } from '../context/replay/rebase-text.ts';
import { type CompositionChanges, CompositionReplay } from '../context/replay/replay-composition.ts';
import type { ModelRequest } from '../models/model.ts';
import { ReplayInputGoneError } from '../protocol/errors.ts';
import type { UserMessage } from '../protocol/message.ts';
import type { TranscriptRow } from '../store/tables.ts';
import { type ArrangedPrompt, arrangePrompt, type PromptPieces } from './arrange-prompt.ts';
import type { SentFacts } from './capture-call.ts';
import { withoutImages } from './hide-images.ts';
import { isOwnEntry, splitHistory } from './history-of.ts';
import { authorsOf, type PastEntry, rewrittenPieces, spansOfEntry, withoutPieces } from './message-spans.ts';
import type { Contribution } from './prepare-message.ts';
import type { RequestSpan } from './request-draft.ts';
import type { RequestFrame } from './request-frame.ts';
import { type RequestInputs, restorePieces } from './request-inputs.ts';
import { imagesOf, type ToldSpan, withTexts } from './request-text.ts';

export interface RequestChanges {
  readonly composition: CompositionChanges;
  /** True for the pieces, injections and tools of an author that is left out. The name is one of a span. */
  readonly isLeftOut: (origin: string) => boolean;
}

export interface ReplayedRequest {
  readonly request: ModelRequest;
  /** The author of each part, with its words. */
  readonly spans: readonly ToldSpan[];
  readonly composition: Composition;
  /** What could not be done again, one sentence each. */
  readonly notes: readonly string[];
}

export interface RecordedRun {
  readonly runId: string;
  readonly frame: RequestFrame;
  /** The transcript of its session, in order. */
  readonly rows: readonly TranscriptRow[];
}

/** The part of a replayed request that all calls of a run share. */
interface ReplayedFrame extends Pick<ReplayedRequest, 'composition' | 'notes'> {
  readonly arranged: ArrangedPrompt;
  readonly tools: ModelRequest['tools'];
  readonly toolSpans: readonly RequestSpan[];
  readonly user: PastEntry;
}

export class RequestReplay {
  readonly #run: RecordedRun;
  readonly #inputs: RequestInputs;
  readonly #composition: CompositionReplay;
  readonly #pieces: PromptPieces;
  readonly #frames = new Map<RequestChanges | undefined, Promise<ReplayedFrame>>();

  constructor(run: RecordedRun) {
    const { runId, frame } = run;
    const { inputs, texts } = frame;
    if (!inputs || !texts) throw new ReplayInputGoneError({ runId, input: UNRECORDED });
    this.#run = run;
    this.#inputs = inputs;
    this.#composition = new CompositionReplay(restoreInputs(inputs.composition, texts));
    this.#pieces = restorePieces(inputs, texts);
  }

  /** The request as it was, or with changes. */
  async request(sent: SentFacts, changes?: RequestChanges): Promise<ReplayedRequest> {
    const { arranged, tools, toolSpans, user, composition, notes } = await this.#frame(changes);
    const told = this.#told(sent, user, changes);
    const isHidden = sent.images === 0 && told.some(({ message }) => imagesOf(message).length > 0);
    const messages = told.map(({ message }) => (isHidden ? withoutImages(message) : message));
    const request = { system: arranged.system, tools, messages, ...(sent.wishes && { wishes: sent.wishes }) };
    const spans = [...arranged.systemSpans, ...toolSpans, ...told.flatMap(spansOfEntry)];
    return { request, spans: withTexts(spans, request), composition, notes };
  }

  #frame(changes: RequestChanges | undefined): Promise<ReplayedFrame> {
    let frame = this.#frames.get(changes);
    if (!frame) {
      frame = this.#makeFrame(changes);
      this.#frames.set(changes, frame);
    }
    return frame;
  }

  async #makeFrame(changes: RequestChanges | undefined): Promise<ReplayedFrame> {
    const { composition, notes } = changes
      ? await this.#composition.changed(changes.composition)
      : { composition: await this.#composition.recorded(), notes: [] };
    const arranged = arrangePrompt(composition, withoutAuthors(this.#pieces, changes));
    const user = await this.#userOf(arranged.user, changes);
    return { composition, arranged, ...this.#tools(changes), user: user.entry, notes: [...notes, ...user.notes] };
  }

  /** The tools that were offered, without those of an author that is left out. */
  #tools(changes: RequestChanges | undefined): Pick<ReplayedFrame, 'tools' | 'toolSpans'> {
    const { tools, spans } = this.#run.frame;
    const ofTools = spans.filter(({ where }) => where === 'tools');
    const isLeftOut = (index: number) =>
      ofTools.some((span) => span.index === index && changes?.isLeftOut(span.origin) === true);
    const places = tools.map((_, index) => index).filter((index) => !isLeftOut(index));
    return {
      tools: tools.filter((_, index) => places.includes(index)),
      toolSpans: ofTools
        .filter(({ index }) => places.includes(index))
        .map((span) => ({ ...span, index: places.indexOf(span.index) })),
    };
  }

  /** The message that the run is about. */
  async #userOf(
    now: readonly Contribution[],
    changes: RequestChanges | undefined,
  ): Promise<{ readonly entry: PastEntry; readonly notes: readonly string[] }> {
    const { images, rewritten } = this.#inputs;
    const said: UserMessage = { role: 'user', content: textOf(now), ...(images && { attachments: images }) };
    if (!rewritten || changes?.isLeftOut(rewritten.by)) return { entry: entryOf(said, now), notes: [] };
    const { message, by } = rewritten;
    const content = typeof message.content === 'string' ? message.content : '';
    const composed = arrangePrompt(await this.#composition.recorded(), this.#pieces).user;
    // Where only pieces of others are gone, what the handler made of the rest stays as it was.
    const isGone = ({ origin }: Contribution) => changes?.isLeftOut(origin) === true;
    const pieced = entryOf({ ...message, content } as UserMessage, rewrittenPieces(composed, content, by));
    const unwritten = withoutPieces(entryOf({ ...said, content: textOf(composed) }, composed), isGone);
    if (unwritten.message.content === said.content) return { entry: withoutPieces(pieced, isGone), notes: [] };
    const again = await rebaseText(textOf(composed), content, said.content);
    if (again === undefined) {
      return {
        entry: entryOf(said, now),
        notes: [`what ${by} made of the message no longer matches it, so it is left out`],
      };
    }
    const words = { ...message, content: again } as UserMessage;
    return { entry: entryOf(words, rewrittenPieces(now, again, by)), notes: [] };
  }

  /** The messages of a request, as the transcript tells them. */
  #told(sent: SentFacts, user: PastEntry, changes: RequestChanges | undefined): readonly PastEntry[] {
    const { runId, frame } = this.#run;
    const { past, own } = this.#history(sent);
    const isUser = ({ position }: PastEntry) => position === this.#inputs.pastTo + 1;
    const stored = frame.unkept === undefined ? own.find(isUser) : undefined;
    const rest = stored ? own.filter((entry) => entry !== stored) : own;
    // A compaction in the middle of the run may have replaced the message, or what plugins had added to it.
    const isSummarised = stored === undefined && frame.unkept === undefined && own.length > 0;
    const isShortened = stored !== undefined && stored.message !== this.#storedUser()?.message;
    const about = isSummarised ? [] : [isShortened ? stored : { ...user, ...placeOf(stored) }];
    const told = [...past, ...about, ...rest];
    if (told.length !== sent.messages) {
      const input = `the conversation (the request had ${sent.messages} messages, and ${told.length} of them are stored)`;
      throw new ReplayInputGoneError({ runId, input });
    }
    if (!changes) return told;
    return told.map((entry) => withoutPieces(entry, ({ origin }) => changes.isLeftOut(origin)));
  }

  #storedUser(): TranscriptRow | undefined {
    return this.#run.rows.find(({ position }) => position === this.#inputs.pastTo + 1);
  }

  /**
   * The transcript as the request knew it. What others added to the session while the run was at work is in a request
   * only after a compaction, because only then the whole conversation is told again.
   */
  #history({ entries }: SentFacts) {
    const { runId, rows } = this.#run;
    const stored = rows.some((row) => isOwnEntry(row, runId))
      ? rows
      : rows.map((row) => this.#unwithdrawn(row, entries));
    const compaction = stored.findLast(
      ({ kind, position, runId: by }) => kind === 'compaction' && by === runId && position <= entries,
    );
    const pastTo = Math.max(this.#inputs.pastTo, compaction?.position ?? 0);
    const known = stored.filter((row) => row.position <= (isOwnEntry(row, runId) ? entries : pastTo));
    return splitHistory(known, runId);
  }

  /** The messages of a heartbeat that had nothing to report were taken out of the conversation after its end. */
  #unwithdrawn(row: TranscriptRow, entries: number): TranscriptRow {
    const { runId, position, kind } = row;
    const isOwn = runId === this.#run.runId && position > this.#inputs.pastTo && position <= entries;
    return isOwn && kind === 'notice' ? { ...row, kind: 'message' } : row;
  }
}

const UNRECORDED = 'what it was composed from (it was not recorded; an older version of Atrium made this run)';

function withoutAuthors(pieces: PromptPieces, changes: RequestChanges | undefined): PromptPieces {
  if (!changes) return pieces;
  const isKept = ({ origin }: Contribution) => !changes.isLeftOut(origin);
  const { override, before, behind, user } = pieces;
  return {
    override: override && isKept(override) ? override : undefined,
    before: before.filter(isKept),
    behind: behind.filter(isKept),
    user: user.filter(isKept),
  };
}

function entryOf(message: UserMessage, pieces: readonly Contribution[]): PastEntry {
  return { message, meta: authorsOf(pieces) };
}

function placeOf(stored: PastEntry | undefined): Pick<PastEntry, 'runId' | 'position' | 'kind'> {
  return stored ? { runId: stored.runId, position: stored.position, kind: stored.kind } : {};
}

function textOf(pieces: readonly Contribution[]): string {
  return pieces.map(({ text }) => text).join('');
}
