// A later request of the same run: after tool results, for another model, in a shorter form or without images. It is
// prepared, what it may cost is reserved where there are limits, and it is stored.

import type { Model } from '../models/model.ts';
import type { Message } from '../protocol/message.ts';
import type { Write } from '../store/store.ts';
import { captureCall } from './capture-call.ts';
import { commitCompaction, type MadeCompaction } from './compaction/compact.ts';
import type { Conversation } from './conversation.ts';
import type { OpenRun } from './open-run.ts';
import type { RequestSpan } from './request-draft.ts';
import type { RunParts } from './run-parts.ts';
import { reserveCall } from './spend/reserve-call.ts';

export interface NextRequest {
  /** Without it, the model of the conversation is asked. */
  readonly model?: Model | undefined;
  readonly messages: readonly Message[];
  /** The authors of what is new since the request before. */
  readonly spans?: readonly RequestSpan[] | undefined;
  /** The entries of the transcript that are new in this request. */
  readonly entries?: readonly Write[] | undefined;
  /** The compaction that made the request shorter. */
  readonly made?: MadeCompaction | undefined;
}

/**
 * The request can be derived again from what is stored, so the run does not wait for its commit, unless the conversation
 * was compacted to fit, or a limit may refuse the call. A reservation is synced before the call that may cost money.
 */
export async function nextRequest(
  parts: RunParts,
  run: OpenRun,
  conversation: Conversation,
  { model: wanted = conversation.model, messages, spans, entries = [], made }: NextRequest,
): Promise<Conversation> {
  const { ledger } = run;
  const call = conversation.call + 1;
  const asked = { model: wanted, request: { ...conversation.frame, messages } };
  const { model, wire, because } = await reserveCall(parts, run, asked, async (reserved) => {
    const { provider, model: name } = reserved.model;
    const request: readonly Write[] = [
      ledger.step('request', { call, provider, model: name, ...(reserved.because && { because: reserved.because }) }),
      ...captureCall(parts, run, {
        model: reserved.model,
        call,
        wire: reserved.wire,
        messages,
        wishes: conversation.frame.wishes,
        spans,
      }),
      ...reserved.writes,
    ];
    if (made) await commitCompaction(parts, run, made, { before: entries, behind: request });
    else if (reserved.writes.length > 0) await ledger.commit('next-request', [...entries, ...request]);
    else ledger.commitLater('next-request', [...entries, ...request]);
  });
  if (model !== conversation.model) run.useModel(model);
  return { ...conversation, model, messages, wire, call, because: because ?? conversation.because };
}
