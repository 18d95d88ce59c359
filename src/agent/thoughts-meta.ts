// What a model told of its thoughts, kept beside its message for people. No model is ever sent it. When a handler has
// rewritten the message, the thoughts are left out, because they may say what the handler has removed.

import type { JsonObject } from '../protocol/json.ts';
import type { WrittenMessage } from './write-message.ts';

export function thoughtsMeta(thoughts: string | undefined, rewrittenBy: WrittenMessage['rewrittenBy']): JsonObject {
  if (!thoughts || rewrittenBy !== undefined) return {};
  return { thoughts: thoughts.length <= LONGEST ? thoughts : `${thoughts.slice(0, LONGEST)}…` };
}

const LONGEST = 50_000;
