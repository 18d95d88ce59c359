// The errors that attachments raises, one row each. docs/errors.md is made from these rows.

import { formatBytes } from '../protocol/attachment.ts';
import { defineError } from '../protocol/errors.ts';

export class AttachmentTooLargeError extends defineError({
  code: 'ATRIUM_ATTACHMENT_TOO_LARGE',
  status: 413,
  message: ({ file, limit }: { file: string; limit: number }) =>
    `The file ${JSON.stringify(file)} is larger than ${formatBytes(limit)}. Send a smaller one, or raise agents.defaults.mediaMaxMb.`,
  means: 'A file that was sent with a message, or all files of one message together, have too many bytes.',
  remedy: 'Send a smaller file or fewer files, or raise `agents.defaults.mediaMaxMb`.',
}) {}

export class TooManyAttachmentsError extends defineError({
  code: 'ATRIUM_ATTACHMENT_TOO_MANY',
  status: 413,
  message: ({ count, limit }: { count: number; limit: number }) =>
    `The message has ${count} files; at most ${limit} are taken. Send the rest with another message.`,
  means: 'A message brought more files than one message may have.',
  remedy: 'Send the rest with another message.',
}) {}

export class AttachmentEmptyError extends defineError({
  code: 'ATRIUM_ATTACHMENT_EMPTY',
  status: 400,
  message: ({ file }: { file: string }) => `The file ${JSON.stringify(file)} is empty. Send one that has content.`,
  means: 'A file that was sent with a message has no bytes.',
  remedy: 'Send a file that has content.',
}) {}

export class AttachmentUnknownError extends defineError({
  code: 'ATRIUM_ATTACHMENT_UNKNOWN',
  status: 404,
  message: ({ hash }: { hash: string }) =>
    `There is no file ${JSON.stringify(hash.slice(0, 80))} here. It was removed, or it belongs to another session.`,
  means: 'A request names a file that was removed, or that belongs to another session.',
  remedy: 'Name a file of this session, or send the file again.',
}) {}

export class UploadUsedError extends defineError({
  code: 'ATRIUM_ATTACHMENT_UPLOAD_USED',
  status: 409,
  message: ({ id }: { id: string }) =>
    `The upload ${JSON.stringify(id.slice(0, 80))} was sent with another message already. Upload the file again to send it once more.`,
  means: 'A message names an upload that another message has brought. An upload is for one message.',
  remedy: 'Upload the file again, and name the new `id`. A message that is repeated under its own id is not refused.',
}) {}

export class AttachmentNotUploadedError extends defineError({
  code: 'ATRIUM_ATTACHMENT_NOT_UPLOADED',
  status: 404,
  message: ({ id }: { id: string }) =>
    `There is no upload ${JSON.stringify(id.slice(0, 80))}. Upload the file with POST /api/attachments, name the "id" of its answer, and send the message within the hour.`,
  means: 'A message or a preview names a file by something that is not the id of an upload of the last hour.',
  remedy:
    'Upload the file again, and name the `id` that the upload answered with. The hash of a file does not name it.',
}) {}
