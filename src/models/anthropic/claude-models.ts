// What is known of Claude models and decides about the bytes of a request. The first row that fits the model's name
// counts. A name that no row fits belongs to another model behind the same protocol.

import type { ReasoningEffort } from '../../protocol/answer-wishes.ts';

export interface ClaudeModel {
  /** The most tokens of one answer. Undefined when it is not known; then the limit of the request is sent as it is. */
  readonly maxTokens?: number | undefined;
  /** Newer models refuse a request that sets the temperature or `top_p`. */
  readonly takesTemperature: boolean;
  /** Whether it takes a JSON Schema for its answer. Tools are sent with the header that announces it. */
  readonly hasStructuredOutputs: boolean;
  /** How much effort it can be told to make; undefined when it cannot be told. */
  readonly efforts?: readonly ReasoningEffort[] | undefined;
}

export function claudeModel(name: string): ClaudeModel {
  return ROWS.find(([pattern]) => pattern.test(name))?.[1] ?? OTHER;
}

/** Other models are behind the same protocol too. */
export function isClaude(name: string): boolean {
  return name.includes('claude-');
}

const OTHER: ClaudeModel = { takesTemperature: true, hasStructuredOutputs: false };

const EFFORTS_OF_4_6: readonly ReasoningEffort[] = ['low', 'medium', 'high', 'max'];
const EFFORTS: readonly ReasoningEffort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

const ROWS: readonly (readonly [RegExp, ClaudeModel])[] = [
  [
    /claude-(?:(?:opus|sonnet|fable)-5|haiku-5-5|opus-4-[78])/,
    { maxTokens: 128_000, takesTemperature: false, hasStructuredOutputs: true, efforts: EFFORTS },
  ],
  [
    /claude-(?:opus|sonnet)-4-6/,
    { maxTokens: 128_000, takesTemperature: true, hasStructuredOutputs: true, efforts: EFFORTS_OF_4_6 },
  ],
  [/claude-(?:opus|sonnet|haiku)-4-5/, { maxTokens: 64_000, takesTemperature: true, hasStructuredOutputs: true }],
  [/claude-opus-4-1/, { maxTokens: 32_000, takesTemperature: true, hasStructuredOutputs: true }],
  [/claude-sonnet-4-/, { maxTokens: 64_000, takesTemperature: true, hasStructuredOutputs: false }],
  [/claude-opus-4-/, { maxTokens: 32_000, takesTemperature: true, hasStructuredOutputs: false }],
  [/claude-3-haiku/, { maxTokens: 4_096, takesTemperature: true, hasStructuredOutputs: false }],
  // The first families. Their limits differ.
  [/claude-(?:instant(?:-|$)|v?2(?=$|[-.:])|3(?=$|[-.]))/, OTHER],
  // A model that came out later than this table is like the newest that is known.
  [/claude-/, { takesTemperature: false, hasStructuredOutputs: true, efforts: EFFORTS }],
];
