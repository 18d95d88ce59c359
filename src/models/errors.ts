// The errors that models raises, one row each. docs/errors.md is made from these rows.

import { defineError } from '../protocol/errors.ts';

export class ModelRequestError extends defineError({
  code: 'ATRIUM_MODEL_REQUEST',
  message: ({ provider, problem }: { provider: string; problem: string }) =>
    `The request cannot be put into the form that ${provider} needs: ${problem}.`,
  means: "A request cannot be expressed in the provider's form; `problem` says why.",
  remedy: "Correct what the message names: a tool's schema, an empty conversation.",
}) {}

export class AnswerFormatError extends defineError({
  code: 'ATRIUM_MODEL_FORMAT',
  status: 400,
  message: ({ model, format }: { model: string; format: string }) =>
    `The answer cannot be asked for as ${format}, because ${model} is called in a way that has no such setting. Leave the format out and ask for it in words, or use an agent whose model has an API like OpenAI's.`,
  means:
    'A client asked for a form of the answer (`response_format`, `text.format`), and the protocol of the model has no setting for it.',
  remedy: "Ask for the form in words, or give the agent a model with an API like OpenAI's.",
}) {}
