// Keeps what a model had written when a person stopped it: people have read these words, so the transcript has them, and
// the next request tells the model what it has said. Tools that it wanted to call are left out, because none was started.
// It knows neither how the run ends nor what its surface is told.

import { type AssistantMessage, textOf } from '../protocol/message.ts';
import { hasWords } from './has-words.ts';
import { rewriterOf } from './message-spans.ts';
import type { OpenRun } from './open-run.ts';
import type { RunParts } from './run-parts.ts';
import { thoughtsMeta } from './thoughts-meta.ts';
import { writeMessage } from './write-message.ts';

/** The entry becomes part of the commit that ends the run. */
export async function keepCutAnswer(
  parts: RunParts,
  run: OpenRun,
  answer: { readonly message: AssistantMessage; readonly thoughts: string },
): Promise<void> {
  const text = textOf(answer.message);
  // What a heartbeat said is withdrawn when it does not get to its end.
  if (!hasWords(text) || run.kind === 'heartbeat') return;
  const said: AssistantMessage = { role: 'assistant', content: [{ type: 'text', text }] };
  const { message, blocked, rewrittenBy } = await writeMessage(parts, run, said);
  if (blocked || message.content.length === 0) return;
  const meta = { cut: true, ...rewriterOf('model', rewrittenBy), ...thoughtsMeta(answer.thoughts, rewrittenBy) };
  run.ledger.attach(run.ledger.entry(message, { meta }));
}

/** The words that the end of the run will keep; empty when there are none. */
export function cutWordsOf({ ledger }: OpenRun): string {
  for (const write of ledger.attached) {
    if ('insert' in write && write.insert === 'transcript' && write.row.meta.cut === true) {
      const { message } = write.row;
      if (message.role === 'assistant') return textOf(message);
    }
  }
  return '';
}
