// Gemini and Gemma over Google's generateContent API, or any server that speaks it.

import type { Model } from '../model.ts';
import { createWireModel, type WireDialect, type WireModelSettings } from '../wire-model.ts';
import { contentBody } from './content-body.ts';
import { CONTENT_EVENTS } from './content-events.ts';

export function createGoogleModel(settings: WireModelSettings): Model {
  return createWireModel(settings, dialect);
}

const dialect: WireDialect = {
  api: 'google-generative-ai',
  path: ({ model }) => `/${modelPath(model)}:streamGenerateContent?alt=sse`,
  // A request may have 20 MB in all, and base64 makes a third more of an image.
  maxImageBytes: 14_000_000,
  events: CONTENT_EVENTS,
  keyHeader: googleKey,
  headers: () => ({}),
  body: contentBody,
};

/** `tunedModels/mine` says itself where it is; other names are below `models`. */
export function modelPath(model: string): string {
  const name = model.split('/').map(encodeURIComponent).join('/');
  return name.includes('/') ? name : `models/${name}`;
}

export function googleKey(apiKey: string): Readonly<Record<string, string>> {
  return { 'x-goog-api-key': apiKey };
}
