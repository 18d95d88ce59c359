// Gemini and Gemma over Google's generateContent API, or any server that speaks it.

import type { WishName } from '../../protocol/answer-wishes.ts';
import type { Model } from '../model.ts';
import { noSetting } from '../take-wishes.ts';
import { createWireModel, type WireDialect, type WireModelSettings } from '../wire-model.ts';
import { contentBody, isBeforeGemini3 } from './content-body.ts';
import { CONTENT_EVENTS } from './content-events.ts';

export function createGoogleModel(settings: WireModelSettings): Model {
  return createWireModel(settings, dialect);
}

const API = 'google-generative-ai';

const dialect: WireDialect = {
  api: API,
  path: ({ model }) => `/${modelPath(model)}:streamGenerateContent?alt=sse`,
  // A request may have 20 MB in all, and base64 makes a third more of an image.
  maxImageBytes: 14_000_000,
  events: CONTENT_EVENTS,
  gap: (wish, _, { model }, tools) => contentGap(wish, model, tools.length > 0),
  keyHeader: googleKey,
  headers: () => ({}),
  body: contentBody,
};

const NO_WORDS: ReadonlySet<WishName> = new Set(['isOneCallAtATime', 'logitBias', 'effort', 'verbosity']);

function contentGap(wish: WishName, model: string, hasTools: boolean): string | undefined {
  if (NO_WORDS.has(wish)) return noSetting(API);
  if (wish === 'format') return formatGap(model, hasTools);
  const isPenalty = wish === 'presencePenalty' || wish === 'frequencyPenalty';
  return isPenalty && /(?:^|\/)gemini-2\.5(?:[.-]|$)/i.test(model) ? 'this model does not take it' : undefined;
}

function formatGap(model: string, hasTools: boolean): string | undefined {
  if (/(?:^|\/)gemma-[123]/i.test(model)) return 'this model does not take it';
  if (!hasTools || !isBeforeGemini3(model)) return undefined;
  return 'Gemini before 3 takes it only in a request without tools, and this one has some';
}

/** `tunedModels/mine` says itself where it is; other names are below `models`. */
export function modelPath(model: string): string {
  const name = model.split('/').map(encodeURIComponent).join('/');
  return name.includes('/') ? name : `models/${name}`;
}

export function googleKey(apiKey: string): Readonly<Record<string, string>> {
  return { 'x-goog-api-key': apiKey };
}
