// The talk between model and tools: ask, run what it asks for, ask again, until it answers in words. Inside this loop
// only messages grow; system blocks and tools stay as they were first sent.

import { ToolRoundsExceededError } from '../protocol/errors.ts';
import { type AssistantMessage, type Message, textOf, toolCallsOf } from '../protocol/message.ts';
import { addUsage, NO_USAGE } from '../protocol/usage.ts';
import { callModel } from './call-model.ts';
import type { Conversation } from './conversation.ts';
import { Finalizer } from './finalize-answer.ts';
import type { Turn } from './open-turn.ts';
import type { RunAnswer } from './run-answer.ts';
import type { RunParts } from './run-parts.ts';
import { settleToolCalls, startToolCalls } from './tool-calls.ts';

export async function converse(parts: RunParts, turn: Turn, begun: Conversation): Promise<RunAnswer> {
  const finalizer = new Finalizer(parts, turn);
  let conversation = begun.pending ? await settle(parts, turn, begun, begun.pending) : begun;
  let usage = NO_USAGE;
  let modelCalls = 0;
  let lastText = '';
  for (let round = 1; ; round++) {
    const called = await callModel(parts, turn, conversation);
    conversation = called.conversation;
    usage = addUsage(usage, called.usage);
    modelCalls += called.attempts;
    const { message } = called;
    lastText = textOf(message).trim() === '' ? lastText : textOf(message);

    if (toolCallsOf(message).length === 0) {
      const revision = await finalizer.ask(conversation, message);
      if (revision === undefined) {
        const { provider, model } = conversation.model;
        const { toolCalls } = conversation;
        return { reply: lastText, message, provider, model, usage, modelCalls, toolCalls, stop: called.stop };
      }
      conversation = await goOn(parts, turn, conversation, [message, { role: 'user', content: revision }], 'revision');
      continue;
    }

    if (round > parts.settings.maxToolRounds) throw new ToolRoundsExceededError(parts.settings.maxToolRounds);
    conversation = await settle(parts, turn, conversation, await startToolCalls(parts, turn, message));
  }
}

/** Brings the begun tool calls to their ends, and prepares the next request with their results. */
async function settle(
  parts: RunParts,
  turn: Turn,
  conversation: Conversation,
  pending: NonNullable<Conversation['pending']>,
): Promise<Conversation> {
  const results = await settleToolCalls(parts, turn, pending);
  const next = { ...conversation, pending: undefined, toolCalls: conversation.toolCalls + results.length };
  return goOn(parts, turn, next, [pending.message, ...results], 'tools');
}

/** The next request, with these messages added. It can be derived again from what is stored, so nothing waits for it. */
async function goOn(
  parts: RunParts,
  turn: Turn,
  conversation: Conversation,
  added: readonly (AssistantMessage | Message)[],
  why: 'tools' | 'revision',
): Promise<Conversation> {
  const { ledger, runId } = turn;
  const { model, frame } = conversation;
  const messages = [...conversation.messages, ...added];
  const wire = await model.prepare({ ...frame, messages });
  const call = conversation.call + 1;
  // The assistant's message with tool calls is in the transcript since before they started.
  const fresh = why === 'tools' ? added.slice(1) : added;
  ledger.commitLater('next-request', [
    ...fresh.map((message) => ledger.entry(message, { meta: why === 'revision' ? { revision: true } : {} })),
    ledger.step('request', { call, provider: model.provider, model: model.model }),
    ...parts.capture({ runId, call, at: parts.now(), provider: model.provider, model: model.model, wire }),
  ]);
  return { ...conversation, messages, wire, call };
}
