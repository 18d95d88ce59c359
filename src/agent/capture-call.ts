// The writes that store one request of a run, with what is needed to write the same request down again from the
// transcript: how far the transcript reached, how many messages there were, and how the model writes them.

import type { Model, WireRequest } from '../models/model.ts';
import type { AnswerWishes } from '../protocol/answer-wishes.ts';
import type { Message } from '../protocol/message.ts';
import type { Write } from '../store/store.ts';
import type { OpenRun } from './open-run.ts';
import type { RequestSpan } from './request-draft.ts';
import { imagesOf } from './request-text.ts';
import type { RunParts } from './run-parts.ts';

export interface SentFacts {
  readonly messages: number;
  /** The position of the last entry of the transcript that the request knew, its own included. */
  readonly entries: number;
  /** How many messages showed images; zero also when the images were hidden because the provider had refused them. */
  readonly images: number;
  readonly api: Model['api'];
  readonly takesImages?: boolean | undefined;
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  /** What the client of the API wished of the answer. */
  readonly wishes?: AnswerWishes | undefined;
}

export function captureCall(
  parts: Pick<RunParts, 'capture' | 'now'>,
  { runId, ledger }: Pick<OpenRun, 'runId' | 'ledger'>,
  { model, call, wire, messages, wishes, spans }: CapturedCall,
): readonly Write[] {
  const { provider, api, takesImages, maxTokens, temperature, topP } = model;
  const sent: SentFacts = {
    messages: messages.length,
    entries: ledger.lastEntry,
    images: messages.filter((message) => imagesOf(message).length > 0).length,
    api,
    ...(takesImages ? { takesImages } : {}),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(wishes && { wishes }),
  };
  return parts.capture({ runId, call, at: parts.now(), provider, model: model.model, wire, spans, sent });
}

export interface CapturedCall {
  readonly model: Model;
  readonly call: number;
  readonly wire: WireRequest;
  readonly messages: readonly Message[];
  readonly wishes?: AnswerWishes | undefined;
  /** The authors of what is new since the request before. */
  readonly spans?: readonly RequestSpan[] | undefined;
}
