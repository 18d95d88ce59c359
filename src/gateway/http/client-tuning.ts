// How an API client tunes an answer: how freely the model chooses its words, how many it may write, and how long it
// thinks. Each field of OpenAI's two APIs is one row: the wish that it is, and the values that OpenAI's documentation
// allows. A value that is not allowed is refused with the field's name. The functions are pure.

import { type AnswerWishes, REASONING_EFFORTS, VERBOSITIES, type WishName } from '../../protocol/answer-wishes.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import { RequestInvalidError } from '../errors.ts';
import type { Zod } from './route.ts';

interface TuningField {
  readonly wish: WishName;
  /** What the value must be, as the end of a sentence. */
  readonly allowed: string;
  /** Undefined when the value is not allowed; null when it asks for nothing. */
  readonly read: (value: unknown) => unknown;
}

type Tuning = Readonly<Record<string, TuningField>>;

const number = (wish: WishName, least: number, most: number): TuningField => ({
  wish,
  allowed: `a number from ${least} to ${most}`,
  read: (value) => (typeof value === 'number' && value >= least && value <= most ? value : undefined),
});

const choice = (wish: WishName, values: readonly string[]): TuningField => ({
  wish,
  allowed: `one of ${values.map((value) => `"${value}"`).join(', ')}`,
  read: (value) => values.find((each) => each === value),
});

const limit: TuningField = {
  wish: 'maxTokens',
  allowed: 'a whole number from 1 on',
  read: (value) => (Number.isSafeInteger(value) && (value as number) >= 1 ? value : undefined),
};

const MOST_STOPS = 4;
const MOST_BIASES = 1_024;

const CHAT_TUNING = {
  temperature: number('temperature', 0, 2),
  top_p: number('topP', 0, 1),
  max_completion_tokens: limit,
  max_tokens: limit,
  stop: {
    wish: 'stop',
    allowed: `a text, or a list of at most ${MOST_STOPS} texts, none of them empty`,
    read: readStop,
  },
  presence_penalty: number('presencePenalty', -2, 2),
  frequency_penalty: number('frequencyPenalty', -2, 2),
  logit_bias: {
    wish: 'logitBias',
    allowed: `an object of numbers from -100 to 100 by the numbers of at most ${MOST_BIASES} tokens`,
    read: readBias,
  },
  seed: {
    wish: 'seed',
    allowed: 'a whole number',
    read: (value) => (Number.isSafeInteger(value) ? value : undefined),
  },
  reasoning_effort: choice('effort', REASONING_EFFORTS),
  verbosity: choice('verbosity', VERBOSITIES),
} as const satisfies Tuning;

const PLAIN_RESPONSE_TUNING = {
  temperature: CHAT_TUNING.temperature,
  top_p: CHAT_TUNING.top_p,
  max_output_tokens: limit,
} as const satisfies Tuning;

const RESPONSE_TUNING: Tuning = {
  ...PLAIN_RESPONSE_TUNING,
  'reasoning.effort': CHAT_TUNING.reasoning_effort,
  'text.verbosity': CHAT_TUNING.verbosity,
};

export type ChatTuning = { readonly [field in keyof typeof CHAT_TUNING]?: unknown };

export function isChatTuning(field: string): boolean {
  return Object.hasOwn(CHAT_TUNING, field);
}

/** The fields for the description of a route. Their values are checked below, in the same words for every route. */
export const chatTuningShape = (z: Zod) => shapeOf(z, CHAT_TUNING);
export const responseTuningShape = (z: Zod) => shapeOf(z, PLAIN_RESPONSE_TUNING);

function shapeOf<Fields extends Tuning>(z: Zod, rows: Fields) {
  const field = ({ allowed }: TuningField) => z.unknown().optional().describe(sentence(allowed));
  const shape = Object.entries(rows).map(([name, row]) => [name, field(row)]);
  return Object.fromEntries(shape) as Record<keyof Fields, ReturnType<typeof field>>;
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

export function readChatTuning(body: ChatTuning): AnswerWishes {
  if (isSet(body.max_tokens) && isSet(body.max_completion_tokens))
    refuse('max_tokens', 'cannot be set beside "max_completion_tokens", which is its new name');
  return readTuning(CHAT_TUNING, (field) => body[field as keyof ChatTuning]);
}

export function readResponseTuning(body: object): AnswerWishes {
  return readTuning(RESPONSE_TUNING, (field) =>
    field.split('.').reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), body),
  );
}

function readTuning(rows: Tuning, fieldOf: (field: string) => unknown): AnswerWishes {
  const wishes: Partial<Record<WishName, unknown>> = {};
  const fields: Partial<Record<WishName, string>> = {};
  for (const [field, { wish, allowed, read }] of Object.entries(rows)) {
    const value = fieldOf(field);
    if (!isSet(value)) continue;
    const wished = read(value);
    if (wished === undefined) refuse(field, `must be ${allowed}`);
    if (wished === null) continue;
    wishes[wish] = wished;
    fields[wish] = field;
  }
  return { ...(wishes as AnswerWishes), ...(Object.keys(fields).length > 0 && { fields }) };
}

function readStop(value: unknown): readonly string[] | null | undefined {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (texts.length === 0) return null;
  const isAllowed = texts.length <= MOST_STOPS && texts.every((text) => typeof text === 'string' && text !== '');
  return isAllowed ? (texts as readonly string[]) : undefined;
}

function readBias(value: unknown): JsonObject | null | undefined {
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value);
  if (entries.length === 0) return null;
  const isAllowed = ([token, bias]: (typeof entries)[number]) =>
    /^\d{1,9}$/.test(token) && typeof bias === 'number' && Math.abs(bias) <= 100;
  return entries.length <= MOST_BIASES && entries.every(isAllowed) ? value : undefined;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function refuse(param: string, problem: string): never {
  throw new RequestInvalidError({ problem: `${param} ${problem}.`, param });
}
