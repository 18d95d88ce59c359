// Keeps the files of a chat completion, those of the new message and those of the messages that a fresh session begins
// with. What models are told about a file of an earlier message is the same as for a new one.

import { attachFiles } from '../../agent/attach-files.ts';
import { type AttachmentRef, isShownImage } from '../../protocol/attachment.ts';
import { isAtriumError } from '../../protocol/errors.ts';
import type { JsonValue } from '../../protocol/json.ts';
import type { Message } from '../../protocol/message.ts';
import { sha256Of } from '../../protocol/sha256-of.ts';
import { RequestInvalidError } from '../errors.ts';
import type { Services } from '../services/services.ts';
import type { ClientTalk, SaidBefore } from './client-talk.ts';
import type { FilePart } from './file-parts.ts';

export interface BroughtFiles {
  readonly attachments: readonly AttachmentRef[];
  readonly seed: readonly Message[] | undefined;
}

export async function bringFiles(
  { attachments }: Pick<Services, 'attachments'>,
  { files, seed }: Pick<ClientTalk, 'files' | 'seed'>,
  signal: AbortSignal,
): Promise<BroughtFiles> {
  const keep = async (parts: readonly FilePart[]): Promise<readonly AttachmentRef[]> => {
    const kept: AttachmentRef[] = [];
    for (const part of parts) kept.push(await keepPart(attachments, part, signal));
    return kept;
  };
  const before: Message[] = [];
  for (const said of seed ?? []) before.push(await toMessage(attachments, said, await keep(said.files)));
  return { attachments: await keep(files), seed: seed && before };
}

/** The files of a request as the client gave them; undefined when it has none. */
export function givenFiles({ files, seed = [] }: Pick<ClientTalk, 'files' | 'seed'>): JsonValue | undefined {
  if (files.length === 0 && seed.every((said) => said.files.length === 0)) return undefined;
  const names = (parts: readonly FilePart[]) => parts.map(nameOfPart);
  return [...seed.map((said) => [said.role, said.text, names(said.files)]), names(files)];
}

function nameOfPart(part: FilePart): JsonValue {
  return 'url' in part ? part.url : [part.name, sha256Of(part.bytes)];
}

async function keepPart(
  attachments: Services['attachments'],
  part: FilePart,
  signal: AbortSignal,
): Promise<AttachmentRef> {
  try {
    const ref = await ('url' in part ? attachments.fetch(part.url, signal) : attachments.keep(part));
    if (part.isImage && !isShownImage(ref)) {
      throw new RequestInvalidError({
        problem: `${part.at} is no image that models take: its bytes are ${ref.mime}. PNG, JPEG, GIF and WebP are taken.`,
        param: part.at,
      });
    }
    return ref;
  } catch (error) {
    // What is wrong with an address is the client's to know; the tool's own errors have no HTTP status for it.
    if (!('url' in part) || !isAtriumError(error) || !error.code.startsWith('ATRIUM_WEB_')) throw error;
    throw new RequestInvalidError({ problem: `${part.at}: ${error.message}`, param: part.at }, { cause: error });
  }
}

async function toMessage(
  { source }: Services['attachments'],
  said: SaidBefore,
  refs: readonly AttachmentRef[],
): Promise<Message> {
  const { text } = said;
  if (said.role === 'tool') {
    const { callId: toolCallId, name: toolName, isMissing } = said;
    return { role: 'tool', toolCallId, toolName, content: text, ...(isMissing && { isError: true }) };
  }
  if (said.role === 'assistant') {
    const calls = (said.calls ?? []).map((call) => ({ type: 'tool-call' as const, ...call }));
    return { role: 'assistant', content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls] };
  }
  if (refs.length === 0) return { role: 'user', content: text };
  const { pieces, images } = await attachFiles({ attachments: source }, refs, { takesImages: true });
  const content = [text, ...pieces.map((piece) => piece.text)].filter((piece) => piece !== '').join('\n\n');
  return { role: 'user', content, ...(images.length > 0 && { attachments: images }) };
}
