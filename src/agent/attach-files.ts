// What a model reads of the files that came with a message: a line for each of them, and the content of those that are
// text. Images are not loaded here; the message names them, and the model's provider receives them in its own form.
// Every piece has the file as its author.

import type { Model } from '../models/model.ts';
import { whyNotShown } from '../models/wire-images.ts';
import { type AttachmentRef, type AttachmentSource, describeAttachment, isShownImage } from '../protocol/attachment.ts';
import { quotePage } from '../tools/web/quote-page.ts';
import type { Contribution } from './prepare-message.ts';

export interface AttachedFiles {
  readonly pieces: readonly Contribution[];
  /** The images that the model takes. */
  readonly images: readonly AttachmentRef[];
}

/** How much of one text file is shown, and of all text files of one message together, in characters. */
const MOST_OF_A_FILE = 20_000;
const MOST_OF_ALL = 60_000;

export async function attachFiles(
  { attachments }: { readonly attachments: Pick<AttachmentSource, 'read'> },
  refs: readonly AttachmentRef[],
  model: Pick<Model, 'takesImages' | 'maxImageBytes'>,
): Promise<AttachedFiles> {
  const pieces: Contribution[] = [];
  let room = MOST_OF_ALL;
  for (const ref of refs) {
    const isText = ref.mime.startsWith('text/');
    const bytes = isText && room > 0 ? await attachments.read(ref.hash) : undefined;
    const shown = bytes && textOf(ref, bytes, Math.min(room, MOST_OF_A_FILE));
    room -= shown?.chars ?? 0;
    pieces.push({ origin: `attachment ${ref.name}`, text: shown?.text ?? lineOf(ref, model, { isText, room }) });
  }
  return { pieces, images: refs.filter((ref) => isShownImage(ref) && whyNotShown(ref, model) === undefined) };
}

function lineOf(
  ref: AttachmentRef,
  model: Pick<Model, 'takesImages' | 'maxImageBytes'>,
  { isText, room }: { readonly isText: boolean; readonly room: number },
): string {
  const what = describeAttachment(ref);
  if (isShownImage(ref)) {
    const why = whyNotShown(ref, model);
    return why === undefined ? `[Image: ${what}]` : `[Image: ${what}. ${why}]`;
  }
  if (!isText) return `[Attachment: ${what}. Its content is not shown.]`;
  const why = room > 0 ? 'It is no longer kept.' : 'The files before it have taken all the room.';
  return `[Attachment: ${what}. Its content is not shown: ${why}]`;
}

function textOf(
  ref: AttachmentRef,
  bytes: Uint8Array,
  most: number,
): { readonly text: string; readonly chars: number } {
  const { quoted, chars, isCut } = quotePage(new TextDecoder().decode(bytes), {
    maxChars: most,
    maxQuotedChars: most * 3,
  });
  const lines = [
    `[Attachment: ${describeAttachment(ref)}. Its lines follow, each behind ">".]`,
    quoted,
    ...(isCut ? [`[The file goes on; it was cut here, after ${chars} characters.]`] : []),
  ];
  return { text: lines.filter((line) => line !== '').join('\n'), chars };
}
