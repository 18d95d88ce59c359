// What an error of Atrium is, and the errors that several folders share. Every other error stands in the `errors.ts` of
// the folder that raises it. An error is one row: a stable code, the HTTP status that answers it, its message made from
// its facts, and the two sentences that docs/errors.md says about it.

import { errorStack } from './one-line.ts';

/** What is the same for every error of one class. */
export interface ErrorDefinition<Facts> {
  /** Begins with `ATRIUM_` and never changes, because programs compare it. */
  readonly code: string;
  /** The default is 500, which means that the gateway itself failed. */
  readonly status?: number;
  /** The message ends with the next step where there is one. */
  readonly message: string | ((facts: Facts, cause: unknown) => string);
  /** What happened, in Markdown. */
  readonly means: string;
  /** What the reader does next, in Markdown. */
  readonly remedy: string;
}

export abstract class AtriumError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(definition: ErrorDefinition<never>, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = definition.code;
    this.status = definition.status ?? 500;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isAtriumError(value);
  }
}

/** For the operator. An error that is raised on purpose has a complete sentence, and a stack would not help. */
export function describeForOperator(error: unknown): string {
  return isAtriumError(error) ? error.message : errorStack(error);
}

/** True for errors of any copy of this package. */
export function isAtriumError(error: unknown): error is AtriumError {
  return (
    error instanceof Error &&
    typeof (error as Partial<AtriumError>).code === 'string' &&
    /^ATRIUM_/.test((error as AtriumError).code)
  );
}

/** The class of an error: `new SomeError(facts, { cause })`, or `new SomeError({ cause })` where it has no facts. */
export interface ErrorClass<Facts> {
  new (...given: Given<Facts>): AtriumError & Readonly<Facts>;
  readonly definition: ErrorDefinition<never>;
}

type Given<Facts> = keyof Facts extends never ? [options?: ErrorOptions] : [facts: Facts, options?: ErrorOptions];

/** No fact may have the name of a field that every error has. */
type FactsOf = { readonly [fact: string]: unknown } & { readonly [Field in keyof AtriumError]?: never };

export function defineError<Facts extends FactsOf = Record<never, never>>(
  definition: ErrorDefinition<Facts>,
): ErrorClass<Facts> {
  const { message } = definition;
  class DefinedError extends AtriumError {
    static readonly definition = definition;

    constructor(...given: unknown[]) {
      const [facts, options] = (typeof message === 'string' ? [{}, ...given] : given) as [Facts, ErrorOptions?];
      super(definition, typeof message === 'string' ? message : message(facts, options?.cause), options);
      Object.assign(this, facts);
    }

    /**
     * An error is recognised by its code, so that `instanceof` also holds for an error that came from the plugin
     * worker.
     */
    static override [Symbol.hasInstance](value: unknown): boolean {
      return isAtriumError(value) && value.code === definition.code;
    }
  }
  return DefinedError as unknown as ErrorClass<Facts>;
}

export class RunStoppedError extends defineError({
  code: 'ATRIUM_RUN_STOPPED',
  message: ({ reason }: { reason: string }) => `The run was stopped: ${reason}. Send the message again to start over.`,
  means: 'A person stopped the run, or the client that asked for it went away; `reason` says which.',
  remedy: 'Send the message again.',
}) {}

export class RunInterruptedError extends defineError({
  code: 'ATRIUM_RUN_INTERRUPTED',
  message: 'The gateway is shutting down before the run has ended. The run goes on at the next start.',
  means: 'The gateway shut down while the run was going on.',
  remedy: 'Nothing: the run goes on at the next start.',
}) {}

export class GatewayNotReadyError extends defineError({
  code: 'ATRIUM_GATEWAY_NOT_READY',
  status: 503,
  message: ({ state }: { state: 'starting' | 'draining' }) =>
    `The gateway takes no messages right now because it is ${state === 'starting' ? 'starting' : 'stopping'}. Try again in a moment.`,
  means: 'A message came while the gateway was starting or stopping; it was not accepted.',
  remedy: 'Send it again in a moment.',
}) {}

export class UnknownJobError extends defineError({
  code: 'ATRIUM_JOB_UNKNOWN',
  status: 404,
  message: ({ jobId }: { jobId: string }) =>
    `There is no job ${JSON.stringify(jobId.slice(0, 100))}. "atrium cron list" shows those that there are.`,
  means: 'There is no job of this id.',
  remedy: 'Look it up with `atrium cron list`.',
}) {}

export class McpStartError extends defineError({
  code: 'ATRIUM_MCP_START',
  message: ({ server, reason }: { server: string; reason: string }) =>
    `The MCP server ${JSON.stringify(server)} cannot be used: ${reason}. Try it with "atrium mcp test ${server}".`,
  means:
    'A server of `mcp.servers` could not be started or connected to, or lists no tools; `reason` says why. Runs go on without it.',
  remedy: 'Try it with `atrium mcp test NAME`.',
}) {}

export class ReplayInputGoneError extends defineError({
  code: 'ATRIUM_RUN_INPUT_GONE',
  status: 409,
  message: ({ runId, input }: { runId: string; input: string }) =>
    `Run ${runId} cannot be composed again, because this is gone: ${input}.`,
  means: 'A run was to be replayed, and an input of it is not stored: it was pruned, deleted, or never recorded.',
  remedy: 'Raise `recorder.captures.maxDays` and `recorder.captures.maxBytes` to keep the inputs of runs longer.',
}) {}

export class RedactPatternError extends defineError({
  code: 'ATRIUM_CONFIG_REDACT_PATTERN',
  message: ({ index, problem }: { index: number; problem: string }) =>
    `logging.redactPatterns[${index}] cannot be used: ${problem}. Write it without look-ahead, look-behind and references to groups.`,
  means:
    'A pattern that shall hide text in logs and records is no regular expression of the engine that matches in bounded time. The gateway does not start, so that nothing is written that was meant to be hidden.',
  remedy: 'Correct the pattern, or remove it from `logging.redactPatterns`.',
}) {}
