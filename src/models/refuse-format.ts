// Refuses a request that asks for a form of the answer, for a protocol that has no setting for it. An answer in another
// form would be read wrongly by the program that asked.

import { AnswerFormatError } from './errors.ts';
import type { Model, ModelRequest } from './model.ts';

/** Throws AnswerFormatError. */
export function refuseFormat({ wishes }: ModelRequest, { provider, model }: Pick<Model, 'provider' | 'model'>): void {
  if (wishes?.format) throw new AnswerFormatError({ model: `${provider}/${model}`, format: wishes.format.type });
}
