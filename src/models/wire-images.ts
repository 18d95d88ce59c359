// Images on their way into a request. A serialiser writes a mark in place of the bytes; in the recorded body
// the mark is replaced by the image's hash, and its position is noted. The bytes are put there while the request is
// sent. So a request is prepared, shown and stored without its images, and the same request always gives the same bytes.
//
// A mark contains a random word of this process that is shown to no one, so no text of a message can be taken for one.

import { randomBytes } from 'node:crypto';
import { type AttachmentRef, type AttachmentSource, describeAttachment, isShownImage } from '../protocol/attachment.ts';
import type { Message, UserMessage } from '../protocol/message.ts';
import type { WireImage, WireRequest } from './model.ts';

/** What a model is given of a user's message: its words, and the images that it may see. */
export interface ShownMessage {
  readonly text: string;
  readonly images: readonly AttachmentRef[];
}

export type ShowImages = (message: UserMessage) => ShownMessage;

/** What a model may be shown, and where the bytes come from. */
export interface ImageRules {
  readonly takesImages: boolean;
  readonly maxImageBytes?: number | undefined;
  readonly attachments?: AttachmentSource | undefined;
}

const SECRET_WORD = randomBytes(24).toString('hex');
const MARK = new RegExp(`${SECRET_WORD}([0-9a-f]{64})`, 'g');

/** The text that the serialiser writes where the bytes belong. */
export function markOf({ hash }: AttachmentRef): string {
  return `${SECRET_WORD}${hash}`;
}

/** How an image is named in a body, in the place of its bytes. */
export function imageNameOf(hash: string): string {
  return `sha256:${hash}`;
}

/**
 * Decides for the images of these messages whether the model is shown them. What it is not shown is named in the text,
 * so that nothing disappears unseen.
 */
export async function imagesFor(
  messages: readonly Message[],
  { takesImages, maxImageBytes, attachments }: ImageRules,
): Promise<ShowImages> {
  const refs = messages.flatMap((message) => (message.role === 'user' ? (message.attachments ?? []) : []));
  const there = new Set<string>();
  if (takesImages) {
    for (const hash of new Set(refs.map((ref) => ref.hash))) if (await attachments?.has(hash)) there.add(hash);
  }
  return ({ content, attachments: own = [] }) => {
    const reasonOf = (ref: AttachmentRef) =>
      whyNotShown(ref, { takesImages, maxImageBytes }) ?? (there.has(ref.hash) ? undefined : GONE);
    const hidden = own.filter((ref) => reasonOf(ref) !== undefined);
    const notes = hidden.map((ref) => `[Image: ${describeAttachment(ref)}. ${reasonOf(ref)}]`);
    return {
      text: [content, ...notes].filter((text) => text !== '').join('\n\n'),
      images: own.filter((ref) => !hidden.includes(ref)),
    };
  };
}

/** Why a model is not shown an image; undefined when it is shown. */
export function whyNotShown(
  ref: AttachmentRef,
  { takesImages, maxImageBytes = Number.POSITIVE_INFINITY }: Pick<ImageRules, 'takesImages' | 'maxImageBytes'>,
): string | undefined {
  if (!takesImages || !isShownImage(ref)) return 'This model takes no images, so it is not shown.';
  return ref.size > maxImageBytes ? 'It is too large for this model, so it is not shown.' : undefined;
}

const GONE = 'It is no longer kept, so it is not shown.';

/** Names the images in a recorded body in place of their marks. */
export function nameImages(body: string, messages: readonly Message[]): Pick<WireRequest, 'body' | 'images'> {
  const refs = messages.flatMap((message) => (message.role === 'user' ? (message.attachments ?? []) : []));
  if (refs.length === 0) return { body };
  const images: WireImage[] = [];
  const sizes = new Map(refs.map(({ hash, size }) => [hash, size]));
  let named = '';
  let end = 0;
  for (const found of body.matchAll(MARK)) {
    const [mark, hash = ''] = found;
    named += body.slice(end, found.index);
    images.push({ at: named.length, hash, size: sizes.get(hash) ?? 0 });
    named += imageNameOf(hash);
    end = found.index + mark.length;
  }
  return images.length === 0 ? { body } : { body: named + body.slice(end), images };
}

/** The body with the images in it, or the hash of an image that is gone. */
export async function fillImages(
  { body, images = [] }: Pick<WireRequest, 'body' | 'images'>,
  attachments: AttachmentSource | undefined,
): Promise<{ readonly body: string } | { readonly gone: string }> {
  if (images.length === 0) return { body };
  const pieces: string[] = [];
  let end = 0;
  for (const { at, hash } of images) {
    const bytes = await attachments?.read(hash);
    if (!bytes) return { gone: hash };
    pieces.push(body.slice(end, at), Buffer.from(bytes).toString('base64'));
    end = at + imageNameOf(hash).length;
  }
  return { body: [...pieces, body.slice(end)].join('') };
}

/** How many bytes are sent for a body with these images. */
export function sentBytes({ body, images = [] }: Pick<WireRequest, 'body' | 'images'>): number {
  const filled = images.reduce((sum, { hash, size }) => sum + 4 * Math.ceil(size / 3) - imageNameOf(hash).length, 0);
  return Buffer.byteLength(body) + filled;
}
