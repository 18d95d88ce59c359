// The errors that models raises, one row each. docs/errors.md is made from these rows.

import { defineError } from '../protocol/errors.ts';

export class ModelRequestError extends defineError({
  code: 'ATRIUM_MODEL_REQUEST',
  message: ({ provider, problem }: { provider: string; problem: string }) =>
    `The request cannot be put into the form that ${provider} needs: ${problem}.`,
  means: "A request cannot be expressed in the provider's form; `problem` says why.",
  remedy: "Correct what the message names: a tool's schema, an empty conversation.",
}) {}

export class AnswerWishError extends defineError({
  code: 'ATRIUM_MODEL_WISH',
  status: 400,
  message: ({ model, param, why }: { model: string; param: string; why: string }) =>
    `"${param}" cannot be passed on to ${model}: ${why}. Leave it out, or ask an agent whose model takes it.`,
  means:
    'A client of the API asked for something (`param` is its field, such as `stop` or `response_format`) for which the protocol of the model has no setting, or which the model does not take. Nothing was sent.',
  remedy:
    'Leave the field out, or give the agent a model that takes it. A form of the answer can also be asked for in words.',
}) {}
