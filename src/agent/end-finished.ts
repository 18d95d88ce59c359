// The third commit of a run: the answer is written to the transcript and the outbox, the injections are consumed, the
// trigger is done. Later failures cannot lose the answer.

import type { JsonObject } from '../protocol/json.ts';
import type { AssistantMessage } from '../protocol/message.ts';
import type { ModelRef } from '../protocol/model-ref.ts';
import { outboxWrites } from '../store/name-attachments.ts';
import type { Write } from '../store/store.ts';
import type { RunOutcome } from '../store/tables.ts';
import { endRun } from './end-run.ts';
import { rewriterOf, SYNTHETIC_AUTHOR } from './message-spans.ts';
import type { OpenRun } from './open-run.ts';
import type { RunAnswer } from './run-answer.ts';
import type { Answer, PlannedAnswer, RunParts } from './run-parts.ts';
import { spokenReply } from './spoken-reply.ts';
import { speaksItself } from './subagents/speaks-itself.ts';
import { childrenOf } from './subagents/told-results.ts';
import { thoughtsMeta } from './thoughts-meta.ts';
import { withdrawEntries } from './withdraw-entries.ts';
import { writeMessage } from './write-message.ts';

export async function finishRun(parts: RunParts, run: OpenRun, answer: RunAnswer): Promise<void> {
  const { runId } = run;
  const spoken = spokenReply(run, answer.reply);
  const text = [...run.packMessages, spoken].filter((each) => each.trim() !== '').join('\n\n');
  const planned =
    text === '' ? NOTHING : await planAnswer(parts, run, text, { mayBringFiles: true, by: authorOf(answer) });
  const isIdle = run.kind === 'heartbeat' && spoken === '';
  const entries = isIdle ? [withdrawEntries(run, answer.toolCalls ?? 0)] : await entriesOf(parts, run, answer);
  await endRun(parts, run, {
    site: 'result',
    status: 'done',
    outcome: {
      ...replyOf(planned),
      provider: answer.provider,
      model: answer.model,
      ...(answer.because === undefined ? {} : { because: answer.because }),
      usage: answer.usage,
      modelCalls: answer.modelCalls,
      toolCalls: answer.toolCalls,
      stop: answer.stop,
      ...(answer.notes?.length ? { notes: answer.notes } : {}),
    },
    writes: [
      ...entries,
      ...outboxWrites(planned.rows, { runId, sessionKey: run.sessionKey, at: parts.now() }),
      { update: 'injections', where: { runId, status: 'bound' }, set: { status: 'consumed' } },
    ],
  });
}

const NOTHING: PlannedAnswer = { rows: [], text: '' };

/** What a client that waits for the answer gets: the text that was sent, not the one that the agent wrote. */
export function replyOf({ text, suppressed }: PlannedAnswer): Pick<RunOutcome, 'reply' | 'suppressed'> {
  if (!suppressed) return { reply: text };
  const { hook, by, reason, cancelReason } = suppressed;
  return { reply: text, suppressed: { hook, by, reason, ...(cancelReason === undefined ? {} : { cancelReason }) } };
}

/** The entries for the transcript: the user's words where no committed request holds them, and the answer. */
async function entriesOf(parts: RunParts, run: OpenRun, answer: RunAnswer): Promise<readonly Write[]> {
  const { ledger } = run;
  const { userMessage, isSynthetic, reply } = answer;
  const user =
    userMessage && !userMessage.blocked
      ? [ledger.entry(userMessage.message, { shown: run.text, meta: senderOf(run) })]
      : [];
  const said: AssistantMessage = answer.message ?? { role: 'assistant', content: [{ type: 'text', text: reply }] };
  if (answer.message ? said.content.length === 0 : reply === '') return user;
  // The answer of a command is not part of the conversation.
  if (!answer.message && !isSynthetic) return [...user, ledger.notice(said, reply)];
  const { message, blocked, rewrittenBy } = await writeMessage(parts, run, said);
  // An empty message is left out, because no provider accepts one.
  if (blocked || message.content.length === 0) return user;
  return [
    ...user,
    ledger.entry(message, {
      meta: {
        ...(isSynthetic ? { synthetic: true } : {}),
        ...rewriterOf(isSynthetic ? SYNTHETIC_AUTHOR : 'model', rewrittenBy),
        ...thoughtsMeta(answer.thoughts, rewrittenBy),
      },
    }),
  ];
}

/** The sender, for people who read the transcript, and the children whose results the message tells. */
export function senderOf({ inbound, results }: OpenRun): JsonObject {
  const { sender, surface } = inbound;
  return {
    sender: { id: sender.id, name: sender.name ?? sender.id },
    channel: surface.channel,
    ...(results.length === 0 ? {} : { completionOf: childrenOf(results) }),
  };
}

/** What becomes of the run's answer. The answers of a child that speaks through its parent are not sent. */
export async function planAnswer(
  parts: RunParts,
  run: OpenRun,
  text: string,
  more: Pick<Answer, 'mayBringFiles' | 'by'> = {},
): Promise<PlannedAnswer> {
  return speaksItself(run) ? parts.delivery.plan({ ...answerOf(run, text), ...more }) : { rows: [], text };
}

/** Undefined for an answer that no model gave. */
function authorOf({ message, provider, model }: RunAnswer): ModelRef | undefined {
  return message && provider !== undefined && model !== undefined ? { provider, model } : undefined;
}

export function answerOf(run: OpenRun, text: string) {
  const { runId, sessionKey, inbound, context } = run;
  return { runId, sessionKey, surface: inbound.surface, text, replyToId: inbound.messageId, context };
}
