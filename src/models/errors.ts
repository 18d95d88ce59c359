// The errors that models raises, one row each. docs/errors.md is made from these rows.

import { defineError } from '../protocol/errors.ts';

export class ModelRequestError extends defineError({
  code: 'ATRIUM_MODEL_REQUEST',
  message: ({ provider, problem }: { provider: string; problem: string }) =>
    `The request cannot be put into the form that ${provider} needs: ${problem}.`,
  means: "A request cannot be expressed in the provider's form; `problem` says why.",
  remedy: "Correct what the message names: a tool's schema, an empty conversation.",
}) {}
