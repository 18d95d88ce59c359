// What the first request of a run was made from, as data that is stored with its frame: the composition's record, what
// plugins and the person brought, and how far the conversation reached. Tools are in the frame itself, and messages are in
// the transcript. Nothing reads it to decide: it is there so that people can compose the request again.

import { type CompositionRecord, recordComposition } from '../context/replay/composition-record.ts';
import { TextList } from '../context/replay/text-list.ts';
import type { AttachmentRef } from '../protocol/attachment.ts';
import type { Message } from '../protocol/message.ts';
import type { PromptPieces } from './arrange-prompt.ts';
import type { Contribution } from './prepare-message.ts';
import type { RequestDraft } from './request-draft.ts';
import { imagesOf } from './request-text.ts';

export interface RequestInputs {
  readonly version: 1;
  readonly composition: CompositionRecord;
  /** Texts by number. */
  readonly override?: RecordedPiece | undefined;
  readonly before: readonly RecordedPiece[];
  readonly behind: readonly RecordedPiece[];
  readonly user: readonly Contribution[];
  readonly images?: readonly AttachmentRef[] | undefined;
  /** The message as handlers of `before_message_write` left it, where they changed it. */
  readonly rewritten?: { readonly message: Message; readonly by: string } | undefined;
  /** The position of the last entry of the transcript before the message. */
  readonly pastTo: number;
}

type RecordedPiece = Omit<Contribution, 'text'> & { readonly text: number };

/** Undefined for a draft whose composition does not know what it was made from. */
export function recordInputs(
  { composition, pieces, user }: RequestDraft,
  pastTo: number,
): { readonly inputs: RequestInputs; readonly texts: readonly string[] } | undefined {
  if (!composition.inputs) return undefined;
  const texts = new TextList();
  const numbered = (piece: Contribution): RecordedPiece => ({ ...piece, text: texts.add(piece.text) });
  const { override, before, behind } = pieces;
  const images = imagesOf(user.message);
  const isRewritten = user.rewrittenBy !== undefined;
  const inputs: RequestInputs = {
    version: 1,
    composition: recordComposition(composition.inputs, texts),
    ...(override && { override: numbered(override) }),
    before: before.map(numbered),
    behind: behind.map(numbered),
    user: pieces.user,
    ...(images.length > 0 && { images }),
    ...(isRewritten && { rewritten: { message: user.message, by: user.rewrittenBy ?? '' } }),
    pastTo,
  };
  return { inputs, texts: texts.texts };
}

/** The pieces with their texts. Throws RangeError when a text is not in the list. */
export function restorePieces(inputs: RequestInputs, texts: readonly string[]): PromptPieces {
  const restored = (piece: RecordedPiece): Contribution => {
    const text = texts[piece.text];
    if (text === undefined) throw new RangeError(`The record names text ${piece.text} of ${texts.length}.`);
    return { ...piece, text };
  };
  return {
    override: inputs.override && restored(inputs.override),
    before: inputs.before.map(restored),
    behind: inputs.behind.map(restored),
    user: inputs.user,
  };
}
