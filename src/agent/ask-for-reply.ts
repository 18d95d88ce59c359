// Lets a plugin answer instead of the model. The first handler that handles the message wins; a reply without text
// means that nothing is sent.

import type { OpenRun } from './open-run.ts';
import type { RequestDraft } from './request-draft.ts';
import type { RunAnswer } from './run-answer.ts';
import type { RunParts } from './run-parts.ts';

export async function askForReply(parts: RunParts, run: OpenRun, draft: RequestDraft): Promise<RunAnswer | undefined> {
  const { result, decidedBy } = await parts.hooks.run('before_agent_reply', { cleanedBody: run.text }, run.context, {
    signal: run.signal,
  });
  if (!result.handled) return undefined;
  void parts.tell('reply-claimed', { run, by: decidedBy?.owner ?? 'before_agent_reply' });
  return { kind: 'answer', reply: result.reply?.text ?? '', userMessage: draft.user, isSynthetic: true };
}
