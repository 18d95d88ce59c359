// What a client of the API wishes of a model's answer, in a form that every provider's serialiser can write in its own
// words. A wish that a provider has no words for is refused, never left out.

import type { JsonObject } from './json.ts';

export interface AnswerWishes {
  /** The form of the answer; undefined for plain text. */
  readonly format?: AnswerFormat | undefined;
  /** The model must call a tool, or this one; undefined when it decides itself. */
  readonly toolChoice?: 'required' | { readonly name: string } | undefined;
  /** Set when an answer may call one tool at most. */
  readonly isOneCallAtATime?: true | undefined;
}

export type AnswerFormat =
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly name: string;
      readonly description?: string | undefined;
      readonly schema: JsonObject;
      readonly strict?: boolean | undefined;
    };
