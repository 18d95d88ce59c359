// The third commit of a run: the answer is written to the transcript and the outbox, the injections are consumed, the
// trigger is done. Later failures cannot lose the answer.

import type { AssistantMessage } from '../protocol/message.ts';
import type { Write } from '../store/store.ts';
import type { RunOutcome } from '../store/tables.ts';
import { endRun } from './end-run.ts';
import { rewriterOf, SYNTHETIC_AUTHOR } from './message-spans.ts';
import type { OpenRun } from './open-run.ts';
import type { RunAnswer } from './run-answer.ts';
import type { PlannedAnswer, RunParts } from './run-parts.ts';
import { spokenReply } from './spoken-reply.ts';
import { withdrawEntries } from './withdraw-entries.ts';
import { writeMessage } from './write-message.ts';

export async function finishRun(parts: RunParts, run: OpenRun, answer: RunAnswer): Promise<void> {
  const { runId } = run;
  const spoken = spokenReply(run, answer.reply);
  const text = [...run.packMessages, spoken].filter((each) => each.trim() !== '').join('\n\n');
  const planned = text === '' ? NOTHING : await parts.delivery.plan(answerOf(run, text));
  const isIdle = run.kind === 'heartbeat' && spoken === '';
  const entries = isIdle ? [withdrawEntries(run, answer.toolCalls ?? 0)] : await entriesOf(parts, run, answer);
  await endRun(parts, run, {
    site: 'result',
    status: 'done',
    outcome: {
      ...replyOf(planned),
      provider: answer.provider,
      model: answer.model,
      usage: answer.usage,
      modelCalls: answer.modelCalls,
      toolCalls: answer.toolCalls,
      stop: answer.stop,
    },
    writes: [
      ...entries,
      ...planned.rows.map((row): Write => ({ insert: 'outbox', row })),
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
      },
    }),
  ];
}

/** The sender, for people who read the transcript. */
export function senderOf({ inbound }: OpenRun): { sender: { id: string; name: string }; channel: string } {
  const { sender, surface } = inbound;
  return { sender: { id: sender.id, name: sender.name ?? sender.id }, channel: surface.channel };
}

export function answerOf(run: OpenRun, text: string) {
  const { runId, sessionKey, inbound, context } = run;
  return { runId, sessionKey, surface: inbound.surface, text, replyToId: inbound.messageId, context };
}
