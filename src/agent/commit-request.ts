// The second commit of a run: it opens the session, writes the user's entry, binds the injections and stores the
// request. After this commit the person is owed an answer, and an attempt after a crash sends exactly these bytes
// again.

import type { JsonObject } from '../protocol/json.ts';
import type { Write } from '../store/store.ts';
import type { Conversation } from './conversation.ts';
import { senderOf } from './end-finished.ts';
import { authorsOf } from './message-spans.ts';
import type { OpenRun } from './open-run.ts';
import type { RequestDraft } from './request-draft.ts';
import { captureFrame } from './request-frame.ts';
import type { RunParts } from './run-parts.ts';

export async function commitRequest(parts: RunParts, run: OpenRun, draft: RequestDraft): Promise<Conversation> {
  const { ledger, runId } = run;
  const { request, user } = draft;
  const wire = await draft.model.prepare(request);
  const { provider, model } = draft.model;
  await ledger.commit('request', [
    ...run.seed.map((message) => ledger.entry(message, { meta: { seed: true } })),
    ...(user.blocked
      ? []
      : [ledger.entry(user.message, { shown: run.text, meta: { ...senderOf(run), ...authorsOf(draft.userPieces) } })]),
    ...draft.injections.map(
      ({ id }): Write => ({ update: 'injections', where: { id, status: 'queued' }, set: { status: 'bound', runId } }),
    ),
    ledger.step('request', {
      call: 1,
      provider,
      model,
      ...(user.blocked ? { unkept: user.message as unknown as JsonObject } : {}),
    }),
    ...captureFrame(parts, run, draft),
    ...parts.capture({ runId, call: 1, at: parts.now(), provider, model, wire }),
  ]);
  return {
    model: draft.model,
    fallbacks: draft.fallbacks,
    frame: { system: request.system, tools: request.tools },
    messages: request.messages,
    wire,
    call: 1,
    pending: undefined,
    toolCalls: 0,
    unkept: user.blocked ? user.message : undefined,
  };
}
