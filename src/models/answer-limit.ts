// The most tokens that an answer may have: what the request or the model's settings allow, or less where an API client
// asks for less. A client's limit never raises the agent's own. Pure.

import type { ModelRequest } from './model.ts';

/** `own` counts where the request sets no limit itself. Undefined when nobody has set one. */
export function answerLimit(
  { maxOutputTokens, wishes }: Pick<ModelRequest, 'maxOutputTokens' | 'wishes'>,
  own: number | undefined,
): number | undefined {
  const allowed = maxOutputTokens ?? own;
  const wished = wishes?.maxTokens;
  return allowed === undefined || wished === undefined ? (allowed ?? wished) : Math.min(allowed, wished);
}
