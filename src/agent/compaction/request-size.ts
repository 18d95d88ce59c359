// Estimates the size of a request in the model's tokens: from its characters, scaled by what the provider has counted
// for this conversation before. It is cheap for the many requests that are far from any limit.

import { estimateTokens } from '../../context/budget/estimate-tokens.ts';
import type { Model, ModelRequest } from '../../models/model.ts';
import type { CompactionSettings } from '../../protocol/compaction-settings.ts';
import { overGrownList } from '../../protocol/grown-list.ts';
import type { Message } from '../../protocol/message.ts';
import type { Store } from '../../store/store.ts';
import type { TranscriptRow } from '../../store/tables.ts';
import { historyOf } from '../history-of.ts';
import { imagesOf, piecesOfMessage, piecesOfTool, TOKENS_OF_IMAGE } from '../request-text.ts';

/** How much of a model's window may be used, and at which size compaction begins. */
export interface SizeLimits {
  readonly window: number;
  readonly limit: number;
}

export function limitsOf({ contextWindow }: Pick<Model, 'contextWindow'>, settings: CompactionSettings): SizeLimits {
  const window = Math.min(contextWindow ?? settings.contextTokens, settings.contextTokens);
  return { window, limit: Math.floor(window * settings.threshold) };
}

/** True when so many characters cannot come near the limit, for any text and any provider. */
export function isFarBelow(
  size: { readonly chars: number; readonly messages: number },
  { limit }: SizeLimits,
): boolean {
  return (size.chars + size.messages * TOKENS_AROUND_MESSAGE) * MOST_SCALE <= limit;
}

/** By our estimate a text has at most one token per character; a provider may count up to twice as many. */
const MOST_SCALE = 2;
const LEAST_SCALE = 0.5;

/** True when even a provider that counts twice our estimate stays within the limit. */
export function isSurelyBelow(
  request: Pick<ModelRequest, 'system' | 'tools' | 'messages'>,
  { limit }: SizeLimits,
): boolean {
  const { messages } = request;
  const last = messages.at(-1);
  // The history is the same in the next request. The message that is asked about is kept there as another object.
  const said = tokensOfPast(messages.slice(0, -1)) + (last ? tokensOfMessage(last) : 0);
  return (tokensOfFrame(request) + said) * MOST_SCALE <= limit;
}

const tokensOfPast = overGrownList<Message, number>(0, (known, messages, from) =>
  messages.slice(from).reduce((sum, message) => sum + tokensOfMessage(message), known),
);

/** A message never changes, and every later request of its conversation has it again. */
export function tokensOfMessage(message: Message): number {
  const known = MESSAGE_TOKENS.get(message);
  if (known !== undefined) return known;
  const images = imagesOf(message).length * TOKENS_OF_IMAGE;
  const tokens = estimateTokens(piecesOfMessage(message).join(' ')) + images + TOKENS_AROUND_MESSAGE;
  MESSAGE_TOKENS.set(message, tokens);
  return tokens;
}

const MESSAGE_TOKENS = new WeakMap<Message, number>();

/** The tokens of a message's role and its delimiters. */
export const TOKENS_AROUND_MESSAGE = 4;

/** The tokens of the part that goes with every request. */
export function tokensOfFrame({ system, tools }: Pick<ModelRequest, 'system' | 'tools'>): number {
  return system.reduce((sum, { text }) => sum + estimateTokens(text), tokensOfTools(tools));
}

/** Runs are offered the same lists of tools. */
function tokensOfTools(tools: ModelRequest['tools']): number {
  const known = TOOL_TOKENS.get(tools);
  if (known !== undefined) return known;
  const tokens = tools.reduce((sum, tool) => sum + estimateTokens(piecesOfTool(tool).join(' ')), 0);
  TOOL_TOKENS.set(tools, tokens);
  return tokens;
}

const TOOL_TOKENS = new WeakMap<ModelRequest['tools'], number>();

/**
 * False when a provider's count is ten times as large or as small as our estimate: no tokenizer differs so much, so the
 * provider reports something else, or is wrong.
 */
export function isCredibleCount(counted: number, estimated: number): boolean {
  return counted > 0 && estimated > 0 && Math.abs(Math.log10(counted / estimated)) < 1;
}

/**
 * The provider's count for each token of our estimate, from its last answer in this session. It is 1 where that is
 * unknown: another model answered, the conversation was compacted since, or the count is not credible.
 */
export async function scaleOf(
  store: Store,
  about: {
    readonly sessionKey: string;
    readonly sessionId: string;
    readonly model: Pick<Model, 'provider' | 'model'>;
    readonly frameTokens: number;
    readonly entries: readonly TranscriptRow[];
  },
): Promise<number> {
  const { sessionKey, sessionId, model, frameTokens, entries } = about;
  const [last] = await store.select('usage', {
    where: { sessionKey, sessionId, purpose: 'run' },
    orderBy: [['at', 'desc']],
    limit: 1,
  });
  if (!last || last.input === 0 || last.provider !== model.provider || last.model !== model.model) return 1;
  if (entries.some(({ kind, at }) => kind === 'compaction' && at >= last.at)) return 1;
  const counted = historyOf(entries.filter(({ at }) => at < last.at));
  const estimated = counted.reduce((sum, { message }) => sum + tokensOfMessage(message), frameTokens);
  if (!isCredibleCount(last.input, estimated)) return 1;
  return Math.min(MOST_SCALE, Math.max(LEAST_SCALE, last.input / estimated));
}
