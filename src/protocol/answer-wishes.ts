// What a client of the API wishes of a model's answer, in a form that every provider's serialiser can write in its own
// words. A wish that a provider has no words for is refused by the name of the client's field, never left out.

import type { JsonObject } from './json.ts';

export interface AnswerWishes {
  /** The form of the answer; undefined for plain text. */
  readonly format?: AnswerFormat | undefined;
  /** The model must call a tool, or this one; undefined when it decides itself. */
  readonly toolChoice?: 'required' | { readonly name: string } | undefined;
  /** Set when an answer may call one tool at most. */
  readonly isOneCallAtATime?: true | undefined;
  /** From 0 to 2. */
  readonly temperature?: number | undefined;
  /** From 0 to 1. */
  readonly topP?: number | undefined;
  /** The most tokens of one answer of the model. It never raises a limit of the agent. */
  readonly maxTokens?: number | undefined;
  /** The answer ends before any of these texts, and does not have it. */
  readonly stop?: readonly string[] | undefined;
  /** From -2 to 2. */
  readonly presencePenalty?: number | undefined;
  /** From -2 to 2. */
  readonly frequencyPenalty?: number | undefined;
  /** By the number of the token, from -100 to 100. */
  readonly logitBias?: Readonly<Record<string, number>> | undefined;
  readonly seed?: number | undefined;
  readonly effort?: ReasoningEffort | undefined;
  readonly verbosity?: Verbosity | undefined;
  /** The field in which the client wrote a wish, such as `reasoning.effort`, so that a refusal can name it. */
  readonly fields?: Readonly<Partial<Record<WishName, string>>> | undefined;
}

export type WishName = Exclude<keyof AnswerWishes, 'fields'>;

export const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

export const VERBOSITIES = ['low', 'medium', 'high'] as const;
export type Verbosity = (typeof VERBOSITIES)[number];

export type AnswerFormat =
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly name: string;
      readonly description?: string | undefined;
      readonly schema: JsonObject;
      readonly strict?: boolean | undefined;
    };

/** The wishes that are set, in a fixed order. */
export function wishNames(wishes: AnswerWishes): readonly WishName[] {
  return ALL_WISHES.filter((name) => wishes[name] !== undefined);
}

const WISHES: Readonly<Record<WishName, true>> = {
  format: true,
  toolChoice: true,
  isOneCallAtATime: true,
  temperature: true,
  topP: true,
  maxTokens: true,
  stop: true,
  presencePenalty: true,
  frequencyPenalty: true,
  logitBias: true,
  seed: true,
  effort: true,
  verbosity: true,
};
const ALL_WISHES = Object.keys(WISHES) as readonly WishName[];
