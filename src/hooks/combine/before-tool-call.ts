// The gate before a tool: `block` wins over asking a person, and asking wins over no answer. Parameters are merged over
// those that the handler saw, so that the next handler sees all of them. Once a person is to be asked, only handlers
// that ask too may still change the parameters.

import { InvalidHandlerResult } from '../../protocol/handler.ts';
import type { ApprovalRequest } from '../tool-hooks.ts';
import { type AnswerFields, answerFieldsOf, fieldOf } from './answer-shape.ts';
import { strictest } from './combinators.ts';
import type { Asked, Combined } from './combine.ts';

const LEVELS = ['ask', 'block'] as const;

export function combineToolCall(before: AnswerFields, answer: unknown, { owner, event }: Asked): Combined {
  const given = answerFieldsOf(answer);
  if (!given) return { result: before };
  const asked = before.requireApproval as ApprovalRequest | undefined;
  const result: Record<string, unknown> = { ...before };

  const params = fieldOf(given, 'params');
  const mayChange = asked === undefined || asked.pluginId === owner;
  if (params !== undefined && mayChange) result.params = { ...(event.params as object), ...(params as object) };

  const reason = fieldOf(given, 'blockReason');
  if (reason !== undefined) result.blockReason = reason;
  const blocks = fieldOf(given, 'block') === true;
  const request = approvalOf(given, owner);
  if (request && !asked) result.requireApproval = request;
  else if (request) result.alsoAsked = [...((before.alsoAsked as ApprovalRequest[] | undefined) ?? []), request];
  if (blocks) result.block = true;

  const level = strictest(LEVELS, result.requireApproval ? 'ask' : undefined, blocks ? 'block' : undefined);
  if (level !== 'block') return { result, decides: !asked && (request !== undefined || params !== undefined) };
  return { result, decides: true, ends: true, refusal: String(result.blockReason ?? `Blocked by ${owner}.`) };
}

/** The request always names the plugin that asks, even when the handler wrote another name. */
function approvalOf(given: AnswerFields, owner: string): ApprovalRequest | undefined {
  const request = fieldOf(given, 'requireApproval') as ApprovalRequest | undefined;
  if (!request) return undefined;
  for (const field of ['title', 'description'] as const) {
    if (typeof request[field] === 'string') continue;
    throw new InvalidHandlerResult(`asked for an approval whose ${field} is no text`);
  }
  if (!Array.isArray(request.allowedDecisions ?? [])) {
    throw new InvalidHandlerResult('asked for an approval whose allowedDecisions are no list');
  }
  const { onResolution } = given.requireApproval as ApprovalRequest;
  return { ...request, pluginId: owner, ...(typeof onResolution === 'function' ? { onResolution } : {}) };
}
