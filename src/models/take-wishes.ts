// Which wishes of an API client a model is told, and the agent's own settings beside them. A wish that its protocol has no
// words for, or that the model itself refuses, ends the request before anything is sent, with the name of the client's
// field: an answer that ignores it would be taken for one that follows it. Pure.

import { type AnswerWishes, type WishName, wishNames } from '../protocol/answer-wishes.ts';
import { AnswerWishError } from './errors.ts';
import type { Model, ModelRequest } from './model.ts';

/** Why the model cannot be told this wish, as the rest of a sentence about it; undefined when it can. */
export type WishGap = (wish: WishName, wishes: AnswerWishes) => string | undefined;

/**
 * The request with the wishes that the model can be told. Throws AnswerWishError for any other, unless its value is the
 * one that changes nothing; that one is left out.
 */
export function takeWishes<Request extends Pick<ModelRequest, 'wishes'>>(
  request: Request,
  { provider, model }: Pick<Model, 'provider' | 'model'>,
  gap: WishGap,
): Request {
  const { wishes } = request;
  if (!wishes) return request;
  const taken: Partial<Record<WishName, unknown>> = {};
  for (const wish of wishNames(wishes)) {
    const why = gap(wish, wishes);
    if (why === undefined) taken[wish] = wishes[wish];
    else if (!isNeutral(wish, wishes))
      throw new AnswerWishError({ model: `${provider}/${model}`, param: wishes.fields?.[wish] ?? wish, why });
  }
  return { ...request, wishes: taken as AnswerWishes };
}

/** What the agent's own settings say, where the client has said nothing about it. */
export type OwnTuning = Pick<AnswerWishes, 'temperature' | 'topP'>;

/**
 * The request with the agent's own settings as if the client had wished for them. One that the model does not take, or
 * does not take beside what the client asked for, is left out, because a model that was chosen later has to answer too.
 */
export function addOwnTuning(request: ModelRequest, { temperature, topP }: OwnTuning, gap: WishGap): ModelRequest {
  if (temperature === undefined && topP === undefined) return request;
  let wishes: AnswerWishes = request.wishes ?? {};
  for (const own of [{ temperature }, { topP }]) {
    const added = { ...own, ...wishes };
    const isTaken = wishNames(added).every((wish) => gap(wish, added) === undefined);
    if (isTaken) wishes = added;
  }
  return { ...request, wishes };
}

/** For a protocol that has words for these wishes only. */
export function noSetting(api: Model['api']): string {
  return `its protocol, ${api}, has no setting for it`;
}

/** The values that OpenAI's API has where a client says nothing. Some clients write them into every request. */
const NEUTRAL: AnswerWishes = {
  temperature: 1,
  topP: 1,
  presencePenalty: 0,
  frequencyPenalty: 0,
  verbosity: 'medium',
};

function isNeutral(wish: WishName, wishes: AnswerWishes): boolean {
  return NEUTRAL[wish] !== undefined && wishes[wish] === NEUTRAL[wish];
}
