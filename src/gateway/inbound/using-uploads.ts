// An upload is brought by one message. It is marked before the message is accepted, and the mark is taken away when the
// message is refused, so that the person can send the file with another one. A message that is sent again under its own
// id finds its own mark.

import type { AttachmentStore } from '../../attachments/attachment-store.ts';
import { UploadUsedError } from '../../attachments/errors.ts';
import type { NamedUpload } from '../../protocol/attachment.ts';
import type { Inbound } from '../../protocol/inbound.ts';

/** A message whose files no longer say by which uploads they came, and these uploads. */
export function takeUploads(inbound: Inbound): { readonly inbound: Inbound; readonly uploads: readonly string[] } {
  const named: readonly NamedUpload[] = inbound.attachments ?? [];
  const uploads = named.flatMap(({ upload }) => upload ?? []);
  if (uploads.length === 0) return { inbound, uploads };
  const attachments = named.map(({ upload: _, ...ref }) => ref);
  return { inbound: { ...inbound, attachments }, uploads };
}

/** Rejects with UploadUsedError when another message has brought one of them. */
export async function usingUploads<Value>(
  files: Pick<AttachmentStore, 'useUpload' | 'releaseUpload'>,
  uploads: readonly string[],
  message: string,
  work: () => Promise<Value>,
): Promise<Value> {
  const marked: string[] = [];
  try {
    for (const id of uploads) {
      const use = await files.useUpload(id, message);
      if (use === 'used') throw new UploadUsedError({ id });
      if (use === 'new') marked.push(id);
    }
    return await work();
  } catch (error) {
    for (const id of marked) await files.releaseUpload(id);
    throw error;
  }
}
