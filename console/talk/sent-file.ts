// A file that belongs to a message, as the page knows it: by the hash that the gateway gave it, with its name and size.

import type { AttachmentRef } from '../../src/protocol/attachment.ts';

export type SentFile = AttachmentRef;

export function isPicture({ mime }: Pick<SentFile, 'mime'>): boolean {
  return mime.startsWith('image/');
}

export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** The files that the transcript names beside a message. */
export function filesIn(meta: { readonly attachments?: unknown } | undefined): readonly SentFile[] {
  return Array.isArray(meta?.attachments) ? (meta.attachments as SentFile[]) : [];
}
