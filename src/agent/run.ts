// The run, from one trigger to its reply. The file reads downward in the order in which things happen to a message;
// each step is a file of its own.
// Errors: rejects only when the run must be taken up again: the process is stopping, or the store refused a commit.
// Everything else ends the run with an answer or with a failure that its surface is told. Rules: three commits that the
// run waits for, when no tool is called: the message was accepted before it got here, then the request, then the
// result; one more when the run ends the session before it, and one more when the conversation had to be compacted. No
// step that was committed runs again. Which of them wait for the disk too is said in docs/delivery.md.

import { RunStoppedError } from '../protocol/errors.ts';
import type { ClaimedTrigger } from '../store/claimed-trigger.ts';
import { askForReply } from './ask-for-reply.ts';
import { CLIENT_GONE } from './client-gone.ts';
import { commitRequest } from './commit-request.ts';
import { compactNow } from './compaction/compact-command.ts';
import { fitRequest } from './compaction/fit-request.ts';
import type { Conversation } from './conversation.ts';
import { converse } from './converse.ts';
import { draftRequest } from './draft-request.ts';
import { blockRun } from './end-blocked.ts';
import { failRun } from './end-failed.ts';
import { finishRun } from './end-finished.ts';
import { gateRun } from './gate-run.ts';
import { mustBeTakenUpAgain } from './must-be-taken-up-again.ts';
import { type OpenRun, openRun } from './open-run.ts';
import { recoverRequest } from './recover-request.ts';
import { requirePlugins } from './require-plugins.ts';
import { runCommand } from './run-command.ts';
import type { RunParts } from './run-parts.ts';
import { suspendRun } from './suspend-run.ts';

export async function run(parts: RunParts, claimed: ClaimedTrigger): Promise<void> {
  const opened = await openRun(parts, claimed);
  try {
    await answer(parts, opened);
  } catch (error) {
    if (mustBeTakenUpAgain(error) || opened.isInterrupted()) throw error;
    await failRun(parts, opened, error);
  } finally {
    opened.close();
  }
}

async function answer(parts: RunParts, run: OpenRun): Promise<void> {
  if (run.isAbandoned) throw new RunStoppedError({ reason: CLIENT_GONE });
  if (run.isResetOnly) return finishRun(parts, run, { kind: 'answer', reply: 'A new session has begun.' });

  const commandReply = await runCommand(parts, run);
  if (commandReply) return finishRun(parts, run, commandReply);

  requirePlugins(parts);
  const recovered = await recoverRequest(parts, run);
  if (recovered) {
    run.useModel(recovered.model);
    return talk(parts, run, recovered);
  }

  const draft = await draftRequest(parts, run, 'run');
  run.useModel(draft.model);

  const gate = await gateRun(parts, run, draft);
  if (gate.blocked) return blockRun(parts, run, gate);

  if (run.isCompactOnly) return finishRun(parts, run, await compactNow(parts, run, draft));

  const claimedReply = await askForReply(parts, run, draft);
  if (claimedReply) return finishRun(parts, run, claimedReply);

  const fitting = await fitRequest(parts, run, draft);
  return talk(parts, run, await commitRequest(parts, run, fitting));
}

/** The model and the tools take turns until there is an answer, or until a person has to be asked first. */
async function talk(parts: RunParts, run: OpenRun, conversation: Conversation): Promise<void> {
  run.begun();
  const outcome = await converse(parts, run, conversation);
  if (outcome.kind === 'suspension') return suspendRun(parts, run, outcome);
  if (outcome.toolCalls) await parts.worked(run.agentId);
  return finishRun(parts, run, outcome);
}
