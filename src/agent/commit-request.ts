// The second commit of a run: it opens the session, writes the user's entry, binds the injections and stores the
// request; where there are limits on spending, it also reserves what the call may cost. After this commit the person is
// owed an answer, and an attempt after a crash sends exactly these bytes again. Without a reservation it is not synced:
// after a power cut the message is answered from the beginning, which is what would happen if the power had failed a
// moment earlier. Whatever the run does next to the world is synced first, and this with it. A reservation is synced,
// because the call that it is for may cost money although the power fails.

import type { JsonObject } from '../protocol/json.ts';
import type { Write } from '../store/store.ts';
import { captureCall } from './capture-call.ts';
import type { Conversation } from './conversation.ts';
import { senderOf } from './end-finished.ts';
import { authorsOf } from './message-spans.ts';
import type { OpenRun } from './open-run.ts';
import type { RequestDraft } from './request-draft.ts';
import { captureFrame } from './request-frame.ts';
import type { RunParts } from './run-parts.ts';
import { reserveCall } from './spend/reserve-call.ts';

export async function commitRequest(parts: RunParts, run: OpenRun, draft: RequestDraft): Promise<Conversation> {
  const { ledger, runId } = run;
  const { request, user } = draft;
  const { model, wire, because } = await reserveCall(parts, run, draft, (reserved) => {
    const { provider, model: name } = reserved.model;
    const pastTo = ledger.lastEntry + run.seed.length;
    const writes = [
      ...run.seed.map(({ message, meta }) => ledger.entry(message, { meta })),
      ...(user.blocked
        ? []
        : [
            ledger.entry(user.message, {
              shown: run.text,
              meta: { ...senderOf(run), ...authorsOf(draft.userPieces), ...filesOf(run) },
            }),
          ]),
      ...draft.injections.map(
        ({ id }): Write => ({ update: 'injections', where: { id, status: 'queued' }, set: { status: 'bound', runId } }),
      ),
      ledger.step('request', {
        call: 1,
        provider,
        model: name,
        ...(reserved.because && { because: reserved.because }),
        ...(user.blocked ? { unkept: user.message as unknown as JsonObject } : {}),
      }),
      ...captureFrame(parts, run, { ...draft, model: reserved.model }, pastTo),
      ...captureCall(parts, run, { model: reserved.model, call: 1, wire: reserved.wire, ...request }),
      ...reserved.writes,
    ];
    return reserved.writes.length > 0 ? ledger.commit('request', writes) : ledger.commitUnsynced('request', writes);
  });
  if (model !== draft.model) run.useModel(model);
  return {
    model,
    because,
    fallbacks: draft.fallbacks,
    frame: { system: request.system, tools: request.tools, wishes: request.wishes },
    messages: request.messages,
    wire,
    call: 1,
    pending: undefined,
    toolCalls: 0,
    unkept: user.blocked ? user.message : undefined,
  };
}

/** Kept beside the message, for people: all files that came with it, whatever the model was shown of them. */
function filesOf({ inbound: { attachments = [] } }: OpenRun): JsonObject {
  return attachments.length === 0 ? {} : { attachments: attachments.map((ref) => ({ ...ref })) };
}
