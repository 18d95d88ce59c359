// The Tool contract: something that a model may ask for.
//
// Errors: `run` may throw; the message becomes an error result that the model reads. ToolInputError is for parameters
// that make no sense and says what would.
// Rules: a tool checks its own parameters, which are a model's words. It contains every path after links are followed.
// It honours the signal. `idempotent` means that running it again after a crash does no harm; then it is run again, and
// otherwise the model is told that the call was interrupted.

import type { JsonObject, JsonValue } from '../protocol/json.ts';

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the parameters. */
  readonly parameters: JsonObject;
  readonly idempotent: boolean;
  run(params: JsonObject, context: ToolContext): Promise<ToolOutput>;
}

export interface ToolContext {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly toolCallId: string;
  readonly workspaceDir: string;
  readonly signal: AbortSignal;
}

export interface ToolOutput {
  /** What the model reads. */
  readonly content: string;
  readonly isError?: true | undefined;
  /** For people and programs; never sent to a model. */
  readonly details?: JsonValue | undefined;
}
