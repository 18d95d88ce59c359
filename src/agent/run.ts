// The run, from one trigger to its reply. Reading this file downward is reading what happens to a message; each step is
// a file of its own.
//
// Errors: rejects only when the run must be taken up again: the process is stopping, or the store refused a commit.
// Everything else ends the run with an answer or with a failure that its surface is told.
// Rules: three commits that the run waits for, when no tool is called: the message was accepted before it got here, then
// the request, then the result; one more when the run ends the session before it, and one more when the conversation had
// to be made shorter. No step that was committed runs again.

import { RunStoppedError } from '../protocol/errors.ts';
import { ClaimLostError, isStoreError, PreconditionFailedError } from '../store/errors.ts';
import { askForReply } from './ask-for-reply.ts';
import type { ClaimedRun } from './claimed-run.ts';
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
import { openTurn, type Turn } from './open-turn.ts';
import { recoverRequest } from './recover-request.ts';
import { runCommand } from './run-command.ts';
import type { RunParts } from './run-parts.ts';
import { suspendRun } from './suspend-run.ts';

export async function run(parts: RunParts, claimed: ClaimedRun): Promise<void> {
  const turn = await openTurn(parts, claimed);
  try {
    await answer(parts, turn);
  } catch (error) {
    if (mustBeTakenUpAgain(error) || turn.isInterrupted()) throw error;
    await failRun(parts, turn, error);
  } finally {
    turn.close();
  }
}

/** Somebody else holds the run now, the session was ended under it, or the store refused: then nothing is decided yet. */
function mustBeTakenUpAgain(error: unknown): boolean {
  return error instanceof ClaimLostError || error instanceof PreconditionFailedError || isStoreError(error);
}

async function answer(parts: RunParts, turn: Turn): Promise<void> {
  if (turn.isAbandoned) throw new RunStoppedError({ reason: CLIENT_GONE });
  if (turn.isResetOnly) return finishRun(parts, turn, { kind: 'answer', reply: 'A new session has begun.' });

  const commandReply = await runCommand(parts, turn);
  if (commandReply) return finishRun(parts, turn, commandReply);

  const recovered = await recoverRequest(parts, turn);
  if (recovered) {
    turn.useModel(recovered.model);
    return talk(parts, turn, recovered);
  }

  const draft = await draftRequest(parts, turn, 'run');
  turn.useModel(draft.model);

  const gate = await gateRun(parts, turn, draft);
  if (gate.blocked) return blockRun(parts, turn, gate);

  if (turn.isCompactOnly) return finishRun(parts, turn, await compactNow(parts, turn, draft));

  const claimedReply = await askForReply(parts, turn, draft);
  if (claimedReply) return finishRun(parts, turn, claimedReply);

  const fitting = await fitRequest(parts, turn, draft);
  return talk(parts, turn, await commitRequest(parts, turn, fitting));
}

/** Until there is an answer, or a person has to be asked first. */
async function talk(parts: RunParts, turn: Turn, conversation: Conversation): Promise<void> {
  const outcome = await converse(parts, turn, conversation);
  if (outcome.kind === 'suspension') return suspendRun(parts, turn, outcome);
  return finishRun(parts, turn, outcome);
}
