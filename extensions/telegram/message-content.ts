// What a message of Telegram says and brings along: its text, the files in it, and in words what is neither. It knows
// nothing about who wrote the message or where.

import type { Message, MessageEntity } from 'grammy/types';
import { cleanName } from '../../src/protocol/attachment.ts';
import { oneLine } from '../../src/protocol/one-line.ts';

export interface MessageContent {
  readonly text: string;
  /** The people and bots that the text names: names with `@` in lower case, or ids. */
  readonly mentions: readonly (string | number)[];
  readonly files: readonly MessageFile[];
}

/** A file that Telegram keeps. */
export interface MessageFile {
  readonly fileId: string;
  readonly name: string;
  /** As Telegram says, where it does. */
  readonly size?: number | undefined;
}

/** Undefined for a message about the chat itself, such as that a person joined it. */
export function readContent(message: Message): MessageContent | undefined {
  const files = filesOf(message);
  const words = describeRest(message);
  const said = message.text ?? message.caption;
  if (said === undefined && files.length === 0 && words === undefined) return undefined;
  const entities = message.entities ?? message.caption_entities ?? [];
  const lines = [withAddresses(said ?? '', entities), words].filter((line) => line !== undefined && line !== '');
  return { text: lines.join('\n'), mentions: entities.flatMap((entity) => mentionOf(said ?? '', entity)), files };
}

function mentionOf(text: string, entity: MessageEntity): readonly (string | number)[] {
  if (entity.type === 'text_mention') return [entity.user.id];
  const { offset, length } = entity;
  return entity.type === 'mention' ? [text.slice(offset, offset + length).toLowerCase()] : [];
}

/** An address that stands behind a word is written out, or the agent could not see it. */
function withAddresses(text: string, entities: readonly MessageEntity[]): string {
  const links = entities.filter((entity) => entity.type === 'text_link').sort((a, b) => b.offset - a.offset);
  return links.reduce((before, { offset, length, url }) => {
    const end = offset + length;
    return before.slice(offset, end) === url ? before : `${before.slice(0, end)} (${url})${before.slice(end)}`;
  }, text);
}

function filesOf(message: Message): readonly MessageFile[] {
  const { photo, document, animation, audio, voice, video, video_note: round, sticker, message_id: id } = message;
  const largest = photo?.at(-1);
  if (largest) return [fileOf(largest, `photo-${id}.jpg`)];
  // An animation comes as a document too.
  if (animation) return [fileOf(animation, `animation-${id}.mp4`)];
  if (document) return [fileOf(document, `document-${id}`)];
  if (audio) return [fileOf(audio, `audio-${id}.mp3`)];
  if (voice) return [fileOf(voice, `voice-${id}.ogg`)];
  if (video) return [fileOf(video, `video-${id}.mp4`)];
  if (round) return [fileOf(round, `video-${id}.mp4`)];
  if (sticker && !sticker.is_animated && !sticker.is_video) return [fileOf(sticker, `sticker-${id}.webp`)];
  return [];
}

function fileOf(
  { file_id: fileId, file_size: size, ...more }: { file_id: string; file_size?: number; file_name?: string },
  name: string,
): MessageFile {
  return { fileId, name: more.file_name ? cleanName(more.file_name) : name, size };
}

/** What has no text and is no file, as one line. */
function describeRest(message: Message): string | undefined {
  const { sticker, location, venue, contact, poll, dice, story, game, invoice, paid_media: paid, checklist } = message;
  if (sticker) return `[Sticker ${sticker.emoji ?? ''}]`.replace(' ]', ']');
  if (venue) return `[Place: ${oneLine(venue.title)}, ${oneLine(venue.address)}, ${pointOf(venue.location)}]`;
  if (location) return `[Location: ${pointOf(location)}]`;
  if (contact) {
    const name = [contact.first_name, contact.last_name].filter(Boolean).join(' ');
    return `[Contact: ${oneLine(name)}, ${oneLine(contact.phone_number)}]`;
  }
  if (poll) return `[Poll: ${oneLine(poll.question)} (${poll.options.map(({ text }) => oneLine(text)).join(' / ')})]`;
  if (dice) return `[${dice.emoji} ${dice.value}]`;
  if (checklist)
    return `[Checklist: ${oneLine(checklist.title)} (${checklist.tasks.map(({ text }) => oneLine(text)).join(' / ')})]`;
  if (story) return '[A story, which bots cannot read]';
  if (game) return `[Game: ${oneLine(game.title)}]`;
  if (invoice) return `[Invoice: ${oneLine(invoice.title)}]`;
  if (paid) return '[Paid media, which bots cannot read]';
  return undefined;
}

function pointOf({ latitude, longitude }: { readonly latitude: number; readonly longitude: number }): string {
  return `${latitude}, ${longitude}`;
}
