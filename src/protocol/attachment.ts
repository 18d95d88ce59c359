// A file or an image that belongs to a message. Messages and rows name it by the hash of its content; the bytes are
// stored once, beside the store, and are loaded only when they are sent.

import { oneLine } from './one-line.ts';

export interface AttachmentRef {
  /** The SHA-256 of the bytes, in lower-case hex. */
  readonly hash: string;
  /** A file name without a folder. It is shown to people and models, and is never used as a path. */
  readonly name: string;
  /** What the bytes are, judged by the bytes and not by the name. */
  readonly mime: string;
  /** The number of bytes. */
  readonly size: number;
}

/**
 * A file that a client uploaded. Only who made the upload knows its id, and a message names the file by it; the hash says
 * nothing about who may have the file.
 */
export interface Upload extends AttachmentRef {
  readonly id: string;
}

/** A file of an upload that a message names. The id is taken off when the message is received, and is stored nowhere. */
export interface NamedUpload extends AttachmentRef {
  readonly upload?: string | undefined;
}

/** The limits for what one message brings along. */
export interface AttachmentLimits {
  readonly maxBytes: number;
  readonly maxFiles: number;
  /** For all files of one message together. */
  readonly maxTotalBytes: number;
}

/** The images that providers take. Other images are described like any other file. */
const SHOWN_IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

export function isShownImage({ mime }: Pick<AttachmentRef, 'mime'>): boolean {
  return SHOWN_IMAGES.has(mime);
}

/** The words are the plugin contract's. */
export function kindOfMime(mime: string): string {
  const [kind = ''] = mime.split('/');
  return ['image', 'audio', 'video'].includes(kind) ? kind : 'document';
}

const LONGEST_NAME = 120;

/** The name of a file as it is shown and kept: the last part of a path, on one line. */
export function cleanName(given: string): string {
  const last = given.split(/[\\/]/).at(-1) ?? '';
  const name = oneLine(last.replace(/[\p{Cc}\p{Cf}"<>[\]]/gu, ' '), LONGEST_NAME).trim();
  return name === '' || name === '.' || name === '..' ? 'file' : name;
}

/** For example `photo.png, image/png, 12 KB`. */
export function describeAttachment({ name, mime, size }: AttachmentRef): string {
  return `${name}, ${mime}, ${formatBytes(size)}`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${rounded(kilobytes)} KB` : `${rounded(kilobytes / 1024)} MB`;
}

export function isAttachmentHash(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);
}

export function isUploadId(text: unknown): text is string {
  return typeof text === 'string' && /^upload_[0-9a-f]{32}$/.test(text);
}

/** Reads the references that were stored as plain data; what is none is left out. */
export function readAttachmentRefs(value: unknown): readonly AttachmentRef[] {
  return Array.isArray(value) ? value.filter((each): each is AttachmentRef => isAttachmentHash(each?.hash)) : [];
}

function rounded(value: number): string {
  return value < 10 ? String(Math.round(value * 10) / 10) : String(Math.round(value));
}

/** Where the bytes of attachments come from. */
export interface AttachmentSource {
  /** Whether the file is there. Its content is not loaded. */
  has(hash: string): Promise<boolean>;
  /** Undefined when the file is gone or damaged. */
  read(hash: string): Promise<Uint8Array | undefined>;
}
