// Asks `before_agent_finalize` whether the answer is final. A handler may ask for one more call of the model; how often
// is bounded by its own `maxAttempts`, once by default, and counted per key within the run. When one request is used
// up, the next handler's request is considered, so that none is ignored. A limit for all keys together stops a handler
// that asks for something new each time.

import type { FinalizeRetry } from '../hooks/agent-hooks.ts';
import { hookMessageOf } from '../hooks/hook-message.ts';
import { type AssistantMessage, textOf } from '../protocol/message.ts';
import { sha256Of } from '../protocol/sha256-of.ts';
import type { Conversation } from './conversation.ts';
import type { OpenRun } from './open-run.ts';
import type { RunParts } from './run-parts.ts';

export interface Revision {
  /** The instruction to the model for the next version. */
  readonly text: string;
  /** The key of the request. The transcript keeps it, so that the attempt also counts after a wait or a crash. */
  readonly retryKey: string;
}

/** One answer is revised at most this often, for all handlers and reasons together. */
export const MAX_REVISIONS = 10;

export class Finalizer {
  readonly #parts: RunParts;
  readonly #run: OpenRun;
  /** How often each request for a revision was granted. */
  readonly #granted = new Map<string, number>();

  constructor(parts: RunParts, run: OpenRun) {
    this.#parts = parts;
    this.#run = run;
    for (const { meta } of run.ownEntries) if (typeof meta.retryKey === 'string') this.#take(meta.retryKey);
  }

  /** Undefined when the answer is final. */
  async ask({ model, messages }: Conversation, message: AssistantMessage): Promise<Revision | undefined> {
    const { hooks } = this.#parts;
    const run = this.#run;
    if (!hooks.has('before_agent_finalize')) return undefined;
    const { result } = await hooks.run(
      'before_agent_finalize',
      {
        runId: run.runId,
        sessionId: run.session.sessionId,
        sessionKey: run.sessionKey,
        turnId: run.runId,
        provider: model.provider,
        model: model.model,
        cwd: run.workspaceDir,
        stopHookActive: this.#granted.size > 0,
        lastAssistantMessage: textOf(message),
        messages: [...messages, message].map((each) => hookMessageOf(each)),
      },
      run.context,
      { signal: run.signal },
    );
    if (result.action !== 'revise') return undefined;
    const reason = result.reason?.trim() ?? '';
    const asked = result.retryCandidates ?? (reason === '' ? [] : [{ instruction: reason }]);
    const retry = asked.find((candidate) => this.#grant(candidate));
    if (!retry) return undefined;
    const instruction = retry.instruction.trim();
    const text = reason === '' || reason.includes(instruction) ? reason || instruction : `${reason}\n\n${instruction}`;
    return { text, retryKey: keyOf(retry) };
  }

  /** Uses one of the attempts that the request has left. */
  #grant(retry: FinalizeRetry): boolean {
    const { maxAttempts = 1 } = retry;
    const key = keyOf(retry);
    const revisions = [...this.#granted.values()].reduce((sum, each) => sum + each, 0);
    if (revisions >= MAX_REVISIONS) return false;
    if ((this.#granted.get(key) ?? 0) >= Math.max(1, Math.floor(maxAttempts))) return false;
    this.#take(key);
    return true;
  }

  #take(key: string): void {
    this.#granted.set(key, (this.#granted.get(key) ?? 0) + 1);
  }
}

function keyOf({ idempotencyKey, instruction }: FinalizeRetry): string {
  return idempotencyKey ?? sha256Of(instruction);
}
