// A request before it is committed: what the model would be sent for one message, and the author of each part.

import type { Composition } from '../context/compose.ts';
import type { Model, ModelRequest } from '../models/model.ts';
import type { ModelRef } from '../protocol/model-ref.ts';
import type { InjectionRow } from '../store/tables.ts';
import type { PromptPieces } from './arrange-prompt.ts';
import type { Contribution } from './prepare-message.ts';
import type { WrittenMessage } from './write-message.ts';

export interface RequestDraft {
  readonly model: Model;
  /** The models to try after this one, in order. */
  readonly fallbacks: readonly ModelRef[];
  readonly request: ModelRequest;
  /** The last message of the request, and whether the transcript keeps it. */
  readonly user: WrittenMessage;
  /** The pieces of that message; joined they are its text. */
  readonly userPieces: readonly Contribution[];
  /** The pieces of that message, besides its own words, that are words of people: of files, quotes and earlier talk. */
  readonly judged: readonly Contribution[];
  readonly composition: Composition;
  /** What plugins and the person brought, from which the words were arranged. */
  readonly pieces: PromptPieces;
  /** Queued texts that this request shows; the run consumes them when it completes. */
  readonly injections: readonly InjectionRow[];
  readonly spans: readonly RequestSpan[];
  /** Hooks that did not run because this is a preview. */
  readonly placeholders: readonly string[];
}

/** A piece of a request with one origin. The pieces of one block, tool or message follow each other without gaps. */
export interface RequestSpan {
  readonly where: 'system' | 'tools' | 'messages';
  /** The index of the block, tool or message. */
  readonly index: number;
  readonly origin: string;
  readonly chars: number;
  /** For an image, which has no characters: a fixed estimate of its tokens. */
  readonly tokens?: number | undefined;
  /** An earlier message has its run here, and its entry in the transcript. */
  readonly runId?: string | undefined;
  readonly entry?: number | undefined;
}
