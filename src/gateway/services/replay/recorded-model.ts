// The serialiser of a model as it was when a request was captured. It writes requests down and sends none: it has no key
// and no address that answers. What decides about the bytes comes from the capture, so the present configuration does not
// matter.

import type { SentFacts } from '../../../agent/capture-call.ts';
import type { Model } from '../../../models/model.ts';
import type { AttachmentSource } from '../../../protocol/attachment.ts';
import type { Capture } from '../../../recorder/capture.ts';
import { loadProtocol } from '../../models/load-protocol.ts';

export type RecordedModel = Pick<Model, 'prepare'>;

export async function recordedModel(
  { provider, model, url, images }: Pick<Capture, 'provider' | 'model' | 'url' | 'images'>,
  { api, takesImages, maxTokens, temperature, topP }: SentFacts,
): Promise<RecordedModel> {
  const settings = {
    provider,
    model,
    baseUrl: URL.canParse(url) ? `${new URL(url).origin}/v1` : NOWHERE,
    takesImages,
    maxTokens,
    temperature,
    topP,
    attachments: imagesAsThen(new Set(images.map(({ hash }) => hash))),
    now: Date.now,
  };
  if (api === 'mirror') return (await import('../../../models/mirror/mirror-model.ts')).createMirrorModel();
  return (await loadProtocol(api))(settings);
}

const NOWHERE = 'http://replay.invalid/v1';

/** An image that the request named was there. Its bytes are not needed to write the request down. */
function imagesAsThen(hashes: ReadonlySet<string>): AttachmentSource {
  return { has: async (hash) => hashes.has(hash), read: async () => undefined };
}
