// The third commit of a run: the answer is in the transcript and in the outbox, the injections are consumed, the trigger
// is done. What happens after it, happens to an answer that is safe.

import type { Write } from '../store/store.ts';
import { endRun } from './end-run.ts';
import type { Turn } from './open-turn.ts';
import type { RunAnswer } from './run-answer.ts';
import type { RunParts } from './run-parts.ts';
import { writeMessage } from './write-message.ts';

/** An agent that answers with this alone wants to say nothing. */
const SILENCE = 'NO_REPLY';

export async function finishRun(parts: RunParts, turn: Turn, answer: RunAnswer): Promise<void> {
  const { ledger, runId } = turn;
  const text = [...turn.packMessages, answer.reply.trim() === SILENCE ? '' : answer.reply]
    .filter((each) => each.trim() !== '')
    .join('\n\n');
  const rows = text === '' ? [] : await parts.delivery.plan(answerOf(turn, text));
  const entries: Write[] = [];
  const { userMessage } = answer;
  if (userMessage && !userMessage.blocked) entries.push(ledger.entry(userMessage.message, { shown: turn.text }));
  if (answer.message && answer.message.content.length > 0) {
    entries.push(ledger.entry((await writeMessage(parts, turn, answer.message)).message));
  } else if (answer.isSynthetic && answer.reply !== '') {
    const synthetic = { role: 'assistant', content: [{ type: 'text', text: answer.reply }] } as const;
    entries.push(ledger.entry((await writeMessage(parts, turn, synthetic)).message, { meta: { synthetic: true } }));
  } else if (answer.reply !== '') entries.push(ledger.notice(answer.reply));
  await endRun(parts, turn, {
    site: 'result',
    status: 'done',
    outcome: {
      reply: text,
      provider: answer.provider,
      model: answer.model,
      usage: answer.usage,
      modelCalls: answer.modelCalls,
      toolCalls: answer.toolCalls,
    },
    writes: [
      ...entries,
      ...rows.map((row): Write => ({ insert: 'outbox', row })),
      { update: 'injections', where: { runId, status: 'bound' }, set: { status: 'consumed' } },
    ],
  });
}

export function answerOf(turn: Turn, text: string) {
  const { runId, sessionKey, inbound, context } = turn;
  return { runId, sessionKey, surface: inbound.surface, text, replyToId: inbound.messageId, context };
}
