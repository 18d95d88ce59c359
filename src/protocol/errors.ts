// Every error that Atrium raises on purpose: one class per cause, the facts as fields, a stable code, and the next
// step in the message. `docs/errors.md` lists the same codes, and a test keeps the two equal.

export abstract class AtriumError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** True for errors of any copy of this package, which `instanceof` would miss. */
export function isAtriumError(error: unknown): error is AtriumError {
  return (
    error instanceof Error &&
    typeof (error as Partial<AtriumError>).code === 'string' &&
    /^ATRIUM_/.test((error as AtriumError).code)
  );
}

export class DuplicateHandlerError extends AtriumError {
  readonly code = 'ATRIUM_HOOK_DUPLICATE';

  constructor(
    readonly hook: string,
    readonly id: string,
    readonly owner: string,
  ) {
    super(
      `A handler "${id}" is already registered on ${hook} by ${owner}. Give yours another id, or unregister the other one first.`,
    );
  }
}

export class UnknownHookError extends AtriumError {
  readonly code = 'ATRIUM_HOOK_UNKNOWN';

  constructor(
    readonly hook: string,
    readonly suggestion: string | undefined,
  ) {
    super(
      `There is no hook "${hook}".${suggestion ? ` Did you mean "${suggestion}"?` : ' See docs/hooks.md for the catalog.'}`,
    );
  }
}

export class HandlerAbortError extends AtriumError {
  readonly code = 'ATRIUM_HOOK_ABORTED';

  constructor(
    readonly hook: string,
    readonly id: string,
    readonly reason: string,
    options?: { cause?: unknown },
  ) {
    super(
      `The handler "${id}" on ${hook} failed (${reason}) and is set to abort. Mend it, or set its onError to "skip" to go on without it.`,
      options,
    );
  }
}

export class UnreadableBootstrapFileError extends AtriumError {
  readonly code = 'ATRIUM_FILE_UNREADABLE';

  constructor(
    readonly path: string,
    readonly detail: string,
    options?: { cause?: unknown },
  ) {
    super(
      `The bootstrap file ${path} cannot be read (${detail}). Check its permissions and the disk it is on.`,
      options,
    );
  }
}

export class ConfigMissingError extends AtriumError {
  readonly code = 'ATRIUM_CONFIG_MISSING';

  constructor(readonly file: string) {
    super(
      `There is no configuration file ${file}. Check the path, or leave it out to use the one in the state directory.`,
    );
  }
}

export class ConfigUnreadableError extends AtriumError {
  readonly code = 'ATRIUM_CONFIG_UNREADABLE';

  constructor(
    readonly file: string,
    readonly detail: string,
    options?: { cause?: unknown },
  ) {
    super(
      `The configuration ${file} cannot be read: ${detail}. Put a readable file there, or name another one with --config.`,
      options,
    );
  }
}

export class ConfigSyntaxError extends AtriumError {
  readonly code = 'ATRIUM_CONFIG_SYNTAX';

  constructor(
    readonly file: string,
    readonly line: number,
    readonly column: number,
    readonly problem: string,
    options?: { cause?: unknown },
  ) {
    super(`${file}:${line}:${column}: ${problem}. Mend this line; nothing of the file was used.`, options);
  }
}

export class ConfigIncludeError extends AtriumError {
  readonly code = 'ATRIUM_CONFIG_INCLUDE';

  constructor(
    readonly file: string,
    readonly line: number,
    readonly include: string,
    readonly detail: string,
  ) {
    super(
      `${file}:${line}: the included file ${include} cannot be used: ${detail}. Correct the "$include", or remove it.`,
    );
  }
}

/** One value of the configuration that is not what its setting needs. */
export interface ConfigIssue {
  readonly file: string;
  readonly line: number;
  readonly path: string;
  readonly found: string;
  readonly expected: string;
}

export class ConfigInvalidError extends AtriumError {
  readonly code = 'ATRIUM_CONFIG_INVALID';

  constructor(readonly issues: readonly ConfigIssue[]) {
    const lines = issues.map(
      ({ file, line, path, found, expected }) => `${file}:${line}: ${path} is ${found}; expected ${expected}.`,
    );
    super(`${lines.join('\n')}\nCorrect ${issues.length === 1 ? 'this line' : 'these lines'} and try again.`);
  }
}

export class ConfigEditError extends AtriumError {
  readonly code = 'ATRIUM_CONFIG_EDIT';

  constructor(
    readonly file: string,
    readonly path: string,
    readonly detail: string,
    options?: { cause?: unknown },
  ) {
    super(`${path} cannot be set in ${file}: ${detail}. The file is unchanged; please edit it by hand.`, options);
  }
}

export class WorkspaceNotFoundError extends AtriumError {
  readonly code = 'ATRIUM_WORKSPACE_NOT_FOUND';

  constructor(readonly dir: string) {
    super(
      `There is no workspace at ${dir}. Create it with "atrium agents init", or point the agent at another directory.`,
    );
  }
}

export class WorkspaceNotDirectoryError extends AtriumError {
  readonly code = 'ATRIUM_WORKSPACE_NOT_DIRECTORY';

  constructor(
    readonly dir: string,
    options?: { cause?: unknown },
  ) {
    super(
      `The workspace ${dir} cannot be a directory: a file or a dead link is in its place. Move that away, or point the agent at another directory.`,
      options,
    );
  }
}

export class WorkspaceNotWritableError extends AtriumError {
  readonly code = 'ATRIUM_WORKSPACE_NOT_WRITABLE';

  constructor(
    readonly dir: string,
    readonly path: string,
    options?: { cause?: unknown },
  ) {
    const reason = (options?.cause as NodeJS.ErrnoException | undefined)?.code;
    super(
      `Cannot write ${path}${reason ? ` (${reason})` : ''}. Check the permissions and the free space of the workspace ${dir}, or point the agent at another directory.`,
      options,
    );
  }
}

export class WorkspaceStateOutsideError extends AtriumError {
  readonly code = 'ATRIUM_WORKSPACE_STATE_OUTSIDE';

  constructor(
    readonly dir: string,
    readonly path: string,
  ) {
    super(
      `${path} is a link that leaves the workspace ${dir}, so nothing was written through it. Replace the link by a directory.`,
    );
  }
}

export class HookHandlerOutsideError extends AtriumError {
  readonly code = 'ATRIUM_HOOK_HANDLER_OUTSIDE';

  constructor(
    readonly hook: string,
    readonly path: string,
    readonly rootDir: string,
  ) {
    super(
      `The handler of hook "${hook}" (${path}) lies outside ${rootDir}. Copy the file into that directory instead of linking to it.`,
    );
  }
}

export class HookHandlerLoadError extends AtriumError {
  readonly code = 'ATRIUM_HOOK_HANDLER_LOAD';

  constructor(
    readonly hook: string,
    readonly path: string,
    readonly reason: string,
    options?: { cause?: unknown },
  ) {
    super(
      `The handler of hook "${hook}" (${path}) cannot be loaded: ${reason}. Mend the file, or disable the hook.`,
      options,
    );
  }
}

export class HookHandlerLoadTimeoutError extends AtriumError {
  readonly code = 'ATRIUM_HOOK_HANDLER_LOAD_TIMEOUT';

  constructor(
    readonly hook: string,
    readonly path: string,
    readonly afterMs: number,
  ) {
    super(
      `The handler of hook "${hook}" (${path}) did not finish loading within ${afterMs} ms. Move slow work from the top of the file into the handler.`,
    );
  }
}

export class HookHandlerExportError extends AtriumError {
  readonly code = 'ATRIUM_HOOK_HANDLER_EXPORT';

  constructor(
    readonly hook: string,
    readonly path: string,
    readonly exportName: string,
    readonly functions: readonly string[],
  ) {
    super(
      `The handler of hook "${hook}" (${path}) exports no function "${exportName}".${
        functions.length > 0
          ? ` It does export ${functions.join(', ')}: name the right one as "export" in HOOK.md.`
          : ' Export one.'
      }`,
    );
  }
}

export class HookWithoutEventsError extends AtriumError {
  readonly code = 'ATRIUM_HOOK_NO_EVENTS';

  constructor(
    readonly hook: string,
    readonly path: string,
  ) {
    super(`The hook "${hook}" names no events and would never fire. Add metadata.openclaw.events to ${path}.`);
  }
}

export class HookWithoutTestsError extends AtriumError {
  readonly code = 'ATRIUM_HOOK_NO_TESTS';

  constructor(
    readonly hook: string,
    readonly dir: string,
  ) {
    super(`The hook "${hook}" has no tests. Add a handler.test.ts to ${dir}.`);
  }
}

export class InvalidHookNameError extends AtriumError {
  readonly code = 'ATRIUM_HOOK_NAME_INVALID';

  constructor(
    readonly hookName: string,
    readonly suggestion: string | undefined,
  ) {
    super(
      `"${hookName}" cannot be the name of a hook: use small letters, digits and single dashes, beginning with a letter, at most 64 in all.${
        suggestion ? ` For example: ${suggestion}` : ''
      }`,
    );
  }
}

export class HookExistsError extends AtriumError {
  readonly code = 'ATRIUM_HOOK_EXISTS';

  constructor(
    readonly hook: string,
    readonly dir: string,
  ) {
    super(
      `${dir} exists already and is left as it is. Choose another name than "${hook}", or remove that directory first.`,
    );
  }
}

export class KeptSectionsOverBudgetError extends AtriumError {
  readonly code = 'ATRIUM_BUDGET_KEPT_SECTIONS';
  readonly overBy: number;

  constructor(
    readonly file: string,
    readonly neededChars: number,
    readonly availableChars: number,
    readonly setting: 'bootstrapMaxChars' | 'bootstrapTotalMaxChars',
  ) {
    const overBy = neededChars - availableChars;
    const whose =
      setting === 'bootstrapMaxChars'
        ? `The kept sections of ${file} need ${neededChars} characters`
        : `The kept sections of all files together need ${neededChars} characters (${file} is the first that does not fit)`;
    super(
      `${whose}, ${overBy} more than the ${availableChars} allowed. Raise ${setting} to ${neededChars} or more, or keep fewer sections.`,
    );
    this.overBy = overBy;
  }
}

export class KeptSectionsOverTokenBudgetError extends AtriumError {
  readonly code = 'ATRIUM_BUDGET_KEPT_SECTIONS_TOKENS';
  readonly overBy: number;

  constructor(
    readonly files: readonly string[],
    readonly neededTokens: number,
    readonly availableTokens: number,
  ) {
    const overBy = neededTokens - availableTokens;
    super(
      `The kept sections of ${files.join(', ')} need about ${neededTokens} tokens, ${overBy} more than the ${availableTokens} allowed. Raise bootstrapMaxTokens to ${neededTokens} or more, or keep fewer sections.`,
    );
    this.overBy = overBy;
  }
}

export class UnknownAgentError extends AtriumError {
  readonly code = 'ATRIUM_AGENT_UNKNOWN';

  constructor(
    readonly agentId: string,
    readonly known: readonly string[],
    readonly suggestion: string | undefined,
  ) {
    const next = suggestion
      ? `Did you mean "${suggestion}"?`
      : `Known agents: ${known.join(', ')}. Add one with "atrium agents add ${agentId}".`;
    super(`There is no agent "${agentId}". ${next}`);
  }
}

export class BadFlagError extends AtriumError {
  readonly code = 'ATRIUM_CLI_BAD_FLAG';

  constructor(
    readonly flag: string,
    readonly value: string,
    readonly expected: string,
  ) {
    super(`${flag} ${JSON.stringify(value)} is not ${expected}.`);
  }
}

export class FlagCombinationError extends AtriumError {
  readonly code = 'ATRIUM_CLI_FLAG_COMBINATION';

  constructor(readonly problem: string) {
    super(problem);
  }
}

export class UnknownHandlerError extends AtriumError {
  readonly code = 'ATRIUM_HOOK_HANDLER_UNKNOWN';

  constructor(
    readonly handler: string,
    readonly suggestion: string | undefined,
  ) {
    super(
      `There is no handler, rule or hook pack "${handler}". ${
        suggestion ? `Did you mean "${suggestion}"?` : 'Run "atrium hooks list" to see what there is.'
      }`,
    );
  }
}

export class AmbiguousHandlerError extends AtriumError {
  readonly code = 'ATRIUM_HOOK_HANDLER_AMBIGUOUS';

  constructor(
    readonly handler: string,
    readonly ids: readonly string[],
  ) {
    super(`"${handler}" can mean ${ids.join(' or ')}. Use one of these names.`);
  }
}

export class HandlerNotSwitchableError extends AtriumError {
  readonly code = 'ATRIUM_HOOK_NOT_SWITCHABLE';

  constructor(
    readonly handler: string,
    readonly place: string,
  ) {
    super(`"${handler}" has no switch of its own. Edit ${place} by hand to add it or to take it out.`);
  }
}

export class UnknownHookPackError extends AtriumError {
  readonly code = 'ATRIUM_HOOK_PACK_UNKNOWN';

  constructor(
    readonly pack: string,
    readonly suggestion: string | undefined,
  ) {
    super(
      `There is no hook pack "${pack}". ${
        suggestion
          ? `Did you mean "${suggestion}"?`
          : `Write one with "atrium hooks new", or see what there is with "atrium hooks list".`
      }`,
    );
  }
}

export class AgentExistsError extends AtriumError {
  readonly code = 'ATRIUM_AGENT_EXISTS';

  constructor(
    readonly agentId: string,
    readonly file: string,
  ) {
    super(
      `There is an agent "${agentId}" already, in ${file}. Choose another id, or create its workspace with "atrium agents init ${agentId}".`,
    );
  }
}

export class InvalidAgentIdError extends AtriumError {
  readonly code = 'ATRIUM_AGENT_ID_INVALID';

  constructor(
    readonly agentId: string,
    readonly suggestion: string | undefined,
  ) {
    super(
      `"${agentId}" cannot be the id of an agent: use letters, digits, dashes and underscores, beginning with a letter or a digit, at most 64 in all.${
        suggestion ? ` For example: ${suggestion}` : ''
      }`,
    );
  }
}

export class ExamplesMissingError extends AtriumError {
  readonly code = 'ATRIUM_EXAMPLES_MISSING';

  constructor(readonly dir: string) {
    super(
      `The example workspace that the tour shows is not in ${dir}. Install Atrium again, or look at your own home with "atrium context report".`,
    );
  }
}

export class NothingToCompareError extends AtriumError {
  readonly code = 'ATRIUM_CLI_NOTHING_TO_COMPARE';

  constructor() {
    super(
      'There is only one situation to compare. Give a flag twice (--at 10:00 --at 23:30), or say what is different on the other side (--vs-at 23:30).',
    );
  }
}

export class NoSuchLineError extends AtriumError {
  readonly code = 'ATRIUM_CLI_NO_SUCH_LINE';

  constructor(
    readonly file: string,
    readonly line: number,
    readonly lineCount: number,
  ) {
    super(
      lineCount === 0
        ? `${file} is empty, so there is no line ${line} to explain. Ask about the file itself instead.`
        : `${file} has no line ${line}. Ask for one from 1 to ${lineCount}.`,
    );
  }
}

export class SnapshotsMissingError extends AtriumError {
  readonly code = 'ATRIUM_SNAPSHOT_MISSING';

  constructor(readonly dir: string) {
    super(`There are no snapshots in ${dir}. Write them with "atrium context check --update", and commit the folder.`);
  }
}

export class SituationsInvalidError extends AtriumError {
  readonly code = 'ATRIUM_SNAPSHOT_SITUATIONS';

  constructor(
    readonly file: string,
    readonly problem: string,
    options?: { cause?: unknown },
  ) {
    super(`${file}: ${problem}. Mend the file and try again.`, options);
  }
}

export class UnknownSituationError extends AtriumError {
  readonly code = 'ATRIUM_SNAPSHOT_UNKNOWN_SITUATION';

  constructor(
    readonly situation: string,
    readonly known: readonly string[],
    readonly suggestion: string | undefined,
  ) {
    super(
      `There is no situation "${situation}". ${suggestion ? `Did you mean "${suggestion}"?` : `Known situations: ${known.join(', ')}.`}`,
    );
  }
}

export class SnapshotUnusableError extends AtriumError {
  readonly code = 'ATRIUM_SNAPSHOT_UNUSABLE';

  constructor(
    readonly path: string,
    readonly doing: 'read' | 'written',
    readonly detail: string,
    options?: { cause?: unknown },
  ) {
    super(
      `The snapshot ${path} cannot be ${doing} (${detail}). Check the folder and its permissions, or name another one with --dir.`,
      options,
    );
  }
}

export class HookNotWritableError extends AtriumError {
  readonly code = 'ATRIUM_HOOK_NOT_WRITABLE';

  constructor(
    readonly dir: string,
    options?: { cause?: unknown },
  ) {
    const reason = (options?.cause as NodeJS.ErrnoException | undefined)?.code ?? 'it failed';
    super(`The hook cannot be written to ${dir} (${reason}). Check the permissions and the free space there.`, options);
  }
}

export class InvalidHandlerError extends AtriumError {
  readonly code = 'ATRIUM_HOOK_INVALID_HANDLER';

  constructor(
    readonly hook: string,
    readonly id: unknown,
    readonly problem: string,
  ) {
    super(`The handler ${JSON.stringify(id)} cannot be registered on ${hook}: ${problem}.`);
  }
}

export class ToolInputError extends AtriumError {
  readonly code = 'ATRIUM_TOOL_INPUT';

  constructor(
    readonly tool: string,
    readonly problems: readonly string[],
  ) {
    super(`The parameters of ${tool} cannot be used. ${problems.join(' ')}`);
  }
}

export class ToolPathError extends AtriumError {
  readonly code = 'ATRIUM_TOOL_PATH';

  constructor(
    readonly path: string,
    readonly problem: string,
  ) {
    super(`${JSON.stringify(path)} is refused: ${problem}. Use the path of a file inside the workspace.`);
  }
}

export class ToolFileMissingError extends AtriumError {
  readonly code = 'ATRIUM_TOOL_FILE_MISSING';

  constructor(readonly path: string) {
    super(`There is no file ${JSON.stringify(path)}. Check the path; it is relative to the workspace.`);
  }
}

export class ToolFileUnusableError extends AtriumError {
  readonly code = 'ATRIUM_TOOL_FILE_UNUSABLE';

  constructor(
    readonly path: string,
    readonly problem: string,
    options?: { cause?: unknown },
  ) {
    super(`${JSON.stringify(path)} cannot be used: ${problem}.`, options);
  }
}

export class ToolFileChangedError extends AtriumError {
  readonly code = 'ATRIUM_TOOL_FILE_CHANGED';

  constructor(readonly path: string) {
    super(
      `${JSON.stringify(path)} was changed by somebody else meanwhile and was left alone. Read it again, then retry.`,
    );
  }
}

export class ToolEditMatchError extends AtriumError {
  readonly code = 'ATRIUM_TOOL_EDIT_MATCH';

  constructor(
    readonly path: string,
    readonly matches: number,
  ) {
    super(
      matches === 0
        ? `oldText does not occur in ${JSON.stringify(path)}. It must match exactly, blanks and line ends included; read the file again.`
        : `oldText occurs ${matches} times in ${JSON.stringify(path)}. Give more of the text around it so that it occurs once, or set replaceAll to true.`,
    );
  }
}

export class ToolSessionUnknownError extends AtriumError {
  readonly code = 'ATRIUM_TOOL_SESSION_UNKNOWN';

  constructor(readonly session: string) {
    super(
      `This agent has no session ${JSON.stringify(session)} that may be seen from here. Use a key that sessions_list shows.`,
    );
  }
}

export class TokenMissingError extends AtriumError {
  readonly code = 'ATRIUM_HTTP_TOKEN_MISSING';

  constructor() {
    super(
      'This needs the gateway\'s token. Send it as "Authorization: Bearer <token>"; it stands in atrium/token in the state directory.',
    );
  }
}

export class TokenWrongError extends AtriumError {
  readonly code = 'ATRIUM_HTTP_TOKEN_WRONG';

  constructor() {
    super('This is not the token of this gateway. The right one stands in atrium/token in its state directory.');
  }
}

export class TokenAttemptsError extends AtriumError {
  readonly code = 'ATRIUM_HTTP_TOKEN_ATTEMPTS';

  constructor(readonly retryAfterSeconds: number) {
    super(`Too many wrong tokens came from this address. Try again in ${retryAfterSeconds} seconds.`);
  }
}

export class HostRefusedError extends AtriumError {
  readonly code = 'ATRIUM_HTTP_HOST_REFUSED';

  constructor(readonly host: string) {
    super(
      `This gateway does not answer to the name ${JSON.stringify(host)}. Use its address, or add an origin with this name to gateway.allowedOrigins.`,
    );
  }
}

export class OriginRefusedError extends AtriumError {
  readonly code = 'ATRIUM_HTTP_ORIGIN_REFUSED';

  constructor(readonly origin: string) {
    super(
      `Pages of ${JSON.stringify(origin)} may not call this gateway. Add that origin to gateway.allowedOrigins if they should.`,
    );
  }
}

export class BodyTooLargeError extends AtriumError {
  readonly code = 'ATRIUM_HTTP_BODY_TOO_LARGE';

  constructor(readonly limitBytes: number) {
    super(`The request is longer than the ${limitBytes} bytes allowed here. Send less at once.`);
  }
}

export class RequestInvalidError extends AtriumError {
  readonly code = 'ATRIUM_HTTP_REQUEST_INVALID';

  /** `param` is the field that is wrong, where it is one. */
  constructor(
    readonly problem: string,
    readonly param?: string | undefined,
  ) {
    super(problem);
  }
}

export class UnknownPathError extends AtriumError {
  readonly code = 'ATRIUM_HTTP_PATH_UNKNOWN';

  constructor(
    readonly method: string,
    readonly path: string,
  ) {
    super(`There is nothing at ${method} ${path}. GET /openapi.json lists what there is.`);
  }
}

export class UnknownModelNameError extends AtriumError {
  readonly code = 'ATRIUM_HTTP_MODEL_UNKNOWN';

  constructor(
    readonly model: string,
    readonly known: readonly string[],
    readonly suggestion: string | undefined,
  ) {
    super(
      `There is no model ${JSON.stringify(model)} here. ${suggestion ? `Did you mean "${suggestion}"?` : `Use one of: ${known.join(', ')}.`}`,
    );
  }
}

export class IdempotencyKeyReusedError extends AtriumError {
  readonly code = 'ATRIUM_HTTP_IDEMPOTENCY_KEY_REUSED';

  constructor(readonly runId: string) {
    super(`This idempotency key belongs to another message (run ${runId}). Use a new key for a new message.`);
  }
}

export class UnknownSessionError extends AtriumError {
  readonly code = 'ATRIUM_SESSION_UNKNOWN';

  constructor(readonly session: string) {
    super(`There is no session ${JSON.stringify(session)}. "atrium sessions list" shows those that there are.`);
  }
}

export class UnknownRunError extends AtriumError {
  readonly code = 'ATRIUM_RUN_UNKNOWN';

  constructor(readonly runId: string) {
    super(
      `There is no run ${JSON.stringify(runId)}. "atrium sessions show <session>" names the runs of a session; old ones may have made room.`,
    );
  }
}

export class UnknownCaptureError extends AtriumError {
  readonly code = 'ATRIUM_RUN_CAPTURE_UNKNOWN';

  constructor(
    readonly runId: string,
    readonly call: string,
  ) {
    super(
      `${call === 'last' ? 'No request' : `Request ${call}`} of run ${runId} is kept. The run made no such call, or its capture made room for newer ones (recorder.captures).`,
    );
  }
}

export class UnknownReportError extends AtriumError {
  readonly code = 'ATRIUM_RUN_REPORT_UNKNOWN';

  constructor(readonly runId: string) {
    super(`Run ${runId} has no context report: it is not over yet, or ended before anything was composed.`);
  }
}

export class UnknownDeadLetterError extends AtriumError {
  readonly code = 'ATRIUM_DEADLETTER_UNKNOWN';

  constructor(readonly id: string) {
    super(`There is no dead letter ${JSON.stringify(id)}. "atrium deadletters list" shows those that there are.`);
  }
}

export class PortInUseError extends AtriumError {
  readonly code = 'ATRIUM_GATEWAY_PORT_IN_USE';

  constructor(
    readonly host: string,
    readonly port: number,
    options?: { cause?: unknown },
  ) {
    super(
      `Port ${port} on ${host} is in use, perhaps by another gateway. Stop that program, or choose another port with --port or gateway.port.`,
      options,
    );
  }
}

export class ListenFailedError extends AtriumError {
  readonly code = 'ATRIUM_GATEWAY_LISTEN_FAILED';

  constructor(
    readonly host: string,
    readonly port: number,
    readonly reason: string,
    options?: { cause?: unknown },
  ) {
    super(
      `The gateway cannot listen on ${host} port ${port} (${reason}). Choose another address with gateway.bind, or another port with --port.`,
      options,
    );
  }
}

export class BindAddressInvalidError extends AtriumError {
  readonly code = 'ATRIUM_GATEWAY_BIND_INVALID';

  constructor(readonly bind: string) {
    super(
      `gateway.bind is ${JSON.stringify(bind)}, which is no address to listen on. Use "loopback", "lan" or an IP address of this machine.`,
    );
  }
}

export class BindWithoutTokenError extends AtriumError {
  readonly code = 'ATRIUM_GATEWAY_BIND_WITHOUT_TOKEN';

  constructor(readonly address: string) {
    super(
      `The gateway does not listen on ${address} without a token, because others could reach it there. Set gateway.auth.token, or bind to "loopback".`,
    );
  }
}

export class TokenUnresolvedError extends AtriumError {
  readonly code = 'ATRIUM_TOKEN_UNRESOLVED';

  constructor(readonly problem: string) {
    super(`gateway.auth.token cannot be used: ${problem}. Set it to the token itself, or remove it to have one made.`);
  }
}

export class TokenFileError extends AtriumError {
  readonly code = 'ATRIUM_TOKEN_FILE';

  constructor(
    readonly file: string,
    readonly problem: string,
    options?: { cause?: unknown },
  ) {
    super(
      `The token file ${file} cannot be used: ${problem}. Mend or remove it; without one, a new token is made.`,
      options,
    );
  }
}

export class GatewayDownError extends AtriumError {
  readonly code = 'ATRIUM_CLI_GATEWAY_DOWN';

  constructor(
    readonly stateDir: string,
    readonly detail: string,
    options?: { cause?: unknown },
  ) {
    super(`No gateway is running on ${stateDir} (${detail}). Start one with "atrium start" and try again.`, options);
  }
}

export class GatewayRefusedError extends AtriumError {
  readonly code = 'ATRIUM_CLI_GATEWAY_REFUSED';

  constructor(
    readonly status: number,
    readonly refusal: string,
    readonly sentence: string,
  ) {
    super(sentence);
  }
}

export class RunStoppedError extends AtriumError {
  readonly code = 'ATRIUM_RUN_STOPPED';

  constructor(readonly reason: string) {
    super(`The run was stopped: ${reason}. Send the message again to start over.`);
  }
}

export class RunInterruptedError extends AtriumError {
  readonly code = 'ATRIUM_RUN_INTERRUPTED';

  constructor() {
    super('The gateway is shutting down before the run has ended. The run is taken up again at the next start.');
  }
}

export class ModelRequestError extends AtriumError {
  readonly code = 'ATRIUM_MODEL_REQUEST';

  constructor(
    readonly provider: string,
    readonly problem: string,
    options?: { cause?: unknown },
  ) {
    super(`The request cannot be written down for ${provider}: ${problem}.`, options);
  }
}

export class UnknownProviderError extends AtriumError {
  readonly code = 'ATRIUM_MODEL_PROVIDER_UNKNOWN';

  constructor(
    readonly provider: string,
    readonly known: readonly string[],
    readonly suggestion: string | undefined,
  ) {
    super(
      `There is no model provider "${provider}". ${
        suggestion ? `Did you mean "${suggestion}"?` : `Known: ${known.join(', ')}.`
      } Others are added under models.providers, with a baseUrl.`,
    );
  }
}

export class MissingModelKeyError extends AtriumError {
  readonly code = 'ATRIUM_MODEL_KEY_MISSING';

  constructor(
    readonly provider: string,
    readonly variable: string,
  ) {
    super(
      `There is no API key for ${provider}. Set ${variable} in the environment, or models.providers.${provider}.apiKey in the configuration.`,
    );
  }
}

export class ProviderSettingsError extends AtriumError {
  readonly code = 'ATRIUM_MODEL_PROVIDER_SETTINGS';

  constructor(
    readonly provider: string,
    readonly setting: string,
    readonly problem: string,
  ) {
    super(`The model provider "${provider}" cannot be used: ${setting} ${problem}.`);
  }
}

export class ClaimLostError extends AtriumError {
  readonly code = 'ATRIUM_STORE_CLAIM_LOST';

  constructor(
    readonly runId: string,
    readonly claim: number,
  ) {
    super(
      `The run ${runId} may not write any more: claim ${claim} was superseded, or the run is over. Nothing was stored; leave the run to whoever holds it.`,
    );
  }
}

export class PreconditionFailedError extends AtriumError {
  readonly code = 'ATRIUM_STORE_PRECONDITION';

  constructor(
    readonly table: string,
    readonly problem: string,
    options?: { cause?: unknown },
  ) {
    super(`The commit was not made: ${table} ${problem}. Read the rows again and decide anew.`, options);
  }
}

export class InvalidStoreRequestError extends AtriumError {
  readonly code = 'ATRIUM_STORE_REQUEST_INVALID';

  constructor(
    readonly table: string,
    readonly problem: string,
    options?: { cause?: unknown },
  ) {
    super(`The store cannot do what it was asked with ${table}: ${problem}. Correct the program that asked.`, options);
  }
}

export class StoreClosedError extends AtriumError {
  readonly code = 'ATRIUM_STORE_CLOSED';

  constructor(readonly store: string) {
    super(`The store ${store} is closed. Open it again before using it.`);
  }
}

export class StoreFullError extends AtriumError {
  readonly code = 'ATRIUM_STORE_FULL';

  constructor(
    readonly store: string,
    options?: { cause?: unknown },
  ) {
    super(
      `There is no space left for the store ${store}. Free some; what was accepted is kept, and the store goes on without a restart.`,
      options,
    );
  }
}

export class StoreReadOnlyError extends AtriumError {
  readonly code = 'ATRIUM_STORE_READ_ONLY';

  constructor(
    readonly store: string,
    options?: { cause?: unknown },
  ) {
    super(
      `The store ${store} cannot be written. Check the permissions of the file and its directory, and whether the disk is mounted read-only.`,
      options,
    );
  }
}

export class StoreFailedError extends AtriumError {
  readonly code = 'ATRIUM_STORE_FAILED';

  constructor(
    readonly store: string,
    readonly detail: string,
    readonly remedy: string,
    options?: { cause?: unknown },
  ) {
    super(`The store ${store} failed: ${detail}. ${remedy}`, options);
  }
}

export class StoreTooNewError extends AtriumError {
  readonly code = 'ATRIUM_STORE_TOO_NEW';

  constructor(
    readonly store: string,
    readonly found: number,
    readonly known: number,
  ) {
    super(
      `The store ${store} was written by a newer Atrium (version ${found} of its tables; this one knows ${known}). Update Atrium, or use another state directory.`,
    );
  }
}

export class StateLockedError extends AtriumError {
  readonly code = 'ATRIUM_STATE_LOCKED';

  constructor(
    readonly dir: string,
    readonly owner: { readonly pid: number; readonly url: string } | undefined,
    options?: { cause?: unknown },
  ) {
    super(
      `The state directory ${dir} is in use by ${owner ? `the gateway at ${owner.url} (process ${owner.pid})` : 'another process'}. Stop that one first, or use another state directory.`,
      options,
    );
  }
}

export class InvalidFailpointError extends AtriumError {
  readonly code = 'ATRIUM_STORE_FAILPOINT_INVALID';

  constructor(
    readonly text: string,
    readonly problem: string,
  ) {
    super(`"${text}" is no failpoint: ${problem}. Write for example request:before or tool-result:after@2.`);
  }
}

export class TriggerScrubbedError extends AtriumError {
  readonly code = 'ATRIUM_RUN_SCRUBBED';

  constructor(readonly runId: string) {
    super(
      `What ${runId} was asked is no longer stored, because a gate blocked it. Send the message again if it is still wanted.`,
    );
  }
}

export class ToolRoundsExceededError extends AtriumError {
  readonly code = 'ATRIUM_RUN_TOOL_ROUNDS';

  constructor(readonly limit: number) {
    super(
      `The agent went back to its tools more than ${limit} times without an answer. Ask for less at once, or raise agents.defaults.maxToolRounds.`,
    );
  }
}

export class ModelCallError extends AtriumError {
  readonly code = 'ATRIUM_MODEL_CALL';

  constructor(
    readonly provider: string,
    readonly model: string,
    readonly kind: string,
    readonly detail: string,
  ) {
    super(`The model ${provider}/${model} did not answer (${kind}): ${detail}`);
  }
}

export class ModelAnsweredNothingError extends AtriumError {
  readonly code = 'ATRIUM_MODEL_EMPTY';

  constructor(
    readonly provider: string,
    readonly model: string,
    readonly stop: string,
  ) {
    super(`The model ${provider}/${model} answered with nothing (${stop}). Ask again, perhaps in other words.`);
  }
}

export class RunTimeoutError extends AtriumError {
  readonly code = 'ATRIUM_RUN_TIMEOUT';

  constructor(readonly afterMs: number) {
    super(
      `The run took longer than ${Math.round(afterMs / 1_000)} s, which is the limit. Raise agents.defaults.timeoutSeconds to allow more.`,
    );
  }
}

export class RunGivenUpError extends AtriumError {
  readonly code = 'ATRIUM_RUN_GIVEN_UP';

  constructor(readonly claims: number) {
    super(
      `The run was begun ${claims} times and was cut short each time before it got anywhere. It is kept as a dead letter; see atrium deadletters.`,
    );
  }
}

export class InboundTooLongError extends AtriumError {
  readonly code = 'ATRIUM_INBOUND_TOO_LONG';

  constructor(
    readonly chars: number,
    readonly limit: number,
  ) {
    super(
      `The message has ${chars} characters, and ${limit} are the limit. Send it in parts, or as a file in the workspace.`,
    );
  }
}

/** True for errors that say that the store refused, so that what was to be written is still owed. */
export function isStoreError(error: unknown): boolean {
  return isAtriumError(error) && /^ATRIUM_(STORE_(FULL|READ_ONLY|FAILED|CLOSED)|STATE_LOCKED)$/.test(error.code);
}

export class DeadLetterUnusableError extends AtriumError {
  readonly code = 'ATRIUM_DELIVERY_DEAD_LETTER_UNUSABLE';

  constructor(readonly id: string) {
    super(
      `The dead letter ${id} cannot be put back into the outbox: it does not hold a message on its way out. Look at it with "atrium deadletters show ${id}".`,
    );
  }
}

export class InvalidSessionKeyError extends AtriumError {
  readonly code = 'ATRIUM_SESSION_KEY_INVALID';

  constructor(
    readonly sessionKey: string,
    readonly problem: string,
  ) {
    super(
      `${JSON.stringify(sessionKey)} cannot be a session key: ${problem}. Use a name such as "main" or a whole key such as "agent:main:web:direct:ana".`,
    );
  }
}

export class HelloMissingError extends AtriumError {
  readonly code = 'ATRIUM_CHANNEL_HELLO_MISSING';

  constructor() {
    super('The first frame on a socket must be a "hello": it tells where answers go. Send one, then this again.');
  }
}

export class ChannelClosedError extends AtriumError {
  readonly code = 'ATRIUM_CHANNEL_CLOSED';

  constructor(readonly channel: string) {
    super(`The channel ${channel} is closed because the gateway is stopping. Send this again when it is back.`);
  }
}

export class GatewayGoneError extends AtriumError {
  readonly code = 'ATRIUM_CLI_GATEWAY_GONE';

  constructor(readonly detail: string) {
    super(
      `The connection to the gateway is gone (${detail}). Start it again with "atrium start"; nothing that it accepted is lost.`,
    );
  }
}

export class GatewayNotReadyError extends AtriumError {
  readonly code = 'ATRIUM_GATEWAY_NOT_READY';

  constructor(readonly state: 'starting' | 'draining') {
    super(
      `The gateway takes no messages right now because it is ${state === 'starting' ? 'starting' : 'stopping'}. Try again in a moment.`,
    );
  }
}

export class InjectionRefusedError extends AtriumError {
  readonly code = 'ATRIUM_INJECTION_REFUSED';

  constructor(
    readonly owner: string,
    readonly problem: string,
  ) {
    super(`The text that ${owner} wants said in the next run was not queued: ${problem}.`);
  }
}

export class NoRequestError extends AtriumError {
  readonly code = 'ATRIUM_PREVIEW_NO_REQUEST';

  constructor(readonly text: string) {
    super(
      `"${text.trim().slice(0, 40)}" is a command that the gateway answers itself; no model is asked, so there is no request to show. Preview the message that you would say to the agent.`,
    );
  }
}

export class UnknownApprovalError extends AtriumError {
  readonly code = 'ATRIUM_APPROVAL_UNKNOWN';
  constructor(readonly approvalId: string) {
    super(`There is no approval ${JSON.stringify(approvalId)}. "atrium approvals list" shows what waits.`);
  }
}

export class ApprovalAnsweredError extends AtriumError {
  readonly code = 'ATRIUM_APPROVAL_ANSWERED';
  constructor(
    readonly approvalId: string,
    readonly decision: string,
  ) {
    super(`The approval ${approvalId} is not waiting any more (${decision}); nothing was changed.`);
  }
}

export class DecisionNotAllowedError extends AtriumError {
  readonly code = 'ATRIUM_APPROVAL_DECISION';
  constructor(
    readonly approvalId: string,
    readonly decision: string,
    readonly allowed: readonly string[],
  ) {
    super(
      `The approval ${approvalId} cannot be answered with ${JSON.stringify(decision)}: choose ${allowed.join(', ')}.`,
    );
  }
}

export class InvalidScheduleError extends AtriumError {
  readonly code = 'ATRIUM_SCHEDULE_INVALID';
  constructor(
    readonly written: string,
    readonly problem: string,
  ) {
    super(
      `${JSON.stringify(written.slice(0, 100))} is no schedule: ${problem}. Write a time ("2026-05-06T09:00" or "in 20m"), a span ("1h30m") or cron fields ("0 9 * * 1-5").`,
    );
  }
}

export class InvalidJobError extends AtriumError {
  readonly code = 'ATRIUM_JOB_INVALID';
  constructor(readonly problem: string) {
    super(`This job cannot be kept: ${problem}.`);
  }
}

export class UnknownJobError extends AtriumError {
  readonly code = 'ATRIUM_JOB_UNKNOWN';
  constructor(readonly jobId: string) {
    super(`There is no job ${JSON.stringify(jobId.slice(0, 100))}. "atrium cron list" shows those that there are.`);
  }
}

export class WebUrlError extends AtriumError {
  readonly code = 'ATRIUM_WEB_URL';

  constructor(
    readonly url: string,
    readonly problem: string,
  ) {
    super(`${JSON.stringify(url.slice(0, 200))} cannot be fetched: ${problem}.`);
  }
}

export class WebAddressError extends AtriumError {
  readonly code = 'ATRIUM_WEB_ADDRESS';

  /** The addresses themselves are not told: what a private network looks like is nothing for a conversation. */
  constructor(readonly host: string) {
    super(
      `${JSON.stringify(host.slice(0, 200))} is refused: it leads to an address that is not on the public internet. An operator who wants it fetched adds the host to tools.web.fetch.allowHosts.`,
    );
  }
}

export class WebFetchError extends AtriumError {
  readonly code = 'ATRIUM_WEB_FETCH';

  constructor(
    readonly url: string,
    readonly problem: string,
    options?: { cause?: unknown },
  ) {
    super(`${JSON.stringify(url.slice(0, 200))} could not be fetched: ${problem}.`, options);
  }
}

export class PatchSyntaxError extends AtriumError {
  readonly code = 'ATRIUM_PATCH_SYNTAX';

  constructor(
    readonly line: number,
    readonly problem: string,
  ) {
    super(`Line ${line} of the patch cannot be used: ${problem}. Nothing was changed.`);
  }
}

export class PatchMatchError extends AtriumError {
  readonly code = 'ATRIUM_PATCH_MATCH';

  constructor(
    readonly path: string,
    /** Where the hunk begins in the patch. */
    readonly line: number,
    readonly problem: string,
  ) {
    super(
      `The hunk at line ${line} of the patch does not fit ${JSON.stringify(path)}: ${problem}. Nothing was changed; read the file again and write the hunk anew.`,
    );
  }
}

export class PatchUndoError extends AtriumError {
  readonly code = 'ATRIUM_PATCH_UNDO';

  constructor(
    readonly paths: readonly string[],
    readonly problem: string,
    options?: { cause?: unknown },
  ) {
    super(
      `The patch failed half-way (${problem}), and these files could not be put back: ${paths.map((path) => JSON.stringify(path)).join(', ')}. Read them before anything else.`,
      options,
    );
  }
}

export class McpStartError extends AtriumError {
  readonly code = 'ATRIUM_MCP_START';
  constructor(
    readonly server: string,
    readonly reason: string,
  ) {
    super(
      `The MCP server ${JSON.stringify(server)} cannot be used: ${reason}. Try it with "atrium mcp test ${server}".`,
    );
  }
}

export class McpStartTimeoutError extends AtriumError {
  readonly code = 'ATRIUM_MCP_START_TIMEOUT';
  constructor(
    readonly server: string,
    readonly seconds: number,
  ) {
    super(
      `The MCP server ${JSON.stringify(server)} was not ready after ${seconds} s. If it needs longer, raise mcp.servers.<name>.startSeconds.`,
    );
  }
}

export class McpServerDownError extends AtriumError {
  readonly code = 'ATRIUM_MCP_DOWN';
  constructor(
    readonly server: string,
    readonly reason: string,
    readonly seconds: number,
  ) {
    super(
      `The MCP server ${JSON.stringify(server)} is down and is started again in ${seconds} s at the earliest; the call was not made. ${reason}`,
    );
  }
}

export class McpNotReachedError extends AtriumError {
  readonly code = 'ATRIUM_MCP_NOT_REACHED';
  constructor(
    readonly server: string,
    readonly reason: string,
  ) {
    super(
      `The MCP server ${JSON.stringify(server)} did not take the call (${reason}), so that it had no effect. Call again in a moment.`,
    );
  }
}

export class McpCallLostError extends AtriumError {
  readonly code = 'ATRIUM_MCP_CALL_LOST';
  constructor(
    readonly server: string,
    readonly tool: string,
    readonly reason: string,
  ) {
    super(
      `The MCP server ${JSON.stringify(server)} went away before it answered the call of ${JSON.stringify(tool)}: ${reason}. The call was not repeated, and whether it took effect is unknown. Look before you repeat it.`,
    );
  }
}

export class McpCallTimeoutError extends AtriumError {
  readonly code = 'ATRIUM_MCP_CALL_TIMEOUT';
  constructor(
    readonly server: string,
    readonly tool: string,
    readonly seconds: number,
  ) {
    super(
      `The MCP server ${JSON.stringify(server)} did not answer the call of ${JSON.stringify(tool)} within ${seconds} s; it was told to stop, and what it had done by then is not known.`,
    );
  }
}

export class McpAnswerError extends AtriumError {
  readonly code = 'ATRIUM_MCP_REFUSED';
  constructor(
    readonly server: string,
    readonly reason: string,
  ) {
    super(`The MCP server ${JSON.stringify(server)} refused the call: ${reason}.`);
  }
}

export class UnknownMcpServerError extends AtriumError {
  readonly code = 'ATRIUM_MCP_UNKNOWN';
  constructor(
    readonly server: string,
    readonly meant: string | undefined,
  ) {
    super(
      `There is no MCP server ${JSON.stringify(server)} that could be used.${meant === undefined ? '' : ` Did you mean "${meant}"?`} "atrium mcp list" shows them, and "atrium config check" what is wrong with one.`,
    );
  }
}

export class ToolSendForbiddenError extends AtriumError {
  readonly code = 'ATRIUM_TOOL_SEND_FORBIDDEN';

  constructor() {
    super(
      'Sessions may not reach each other here. The operator can allow it within one agent by setting tools.sessions.visibility to "agent".',
    );
  }
}

export class ToolSendToSelfError extends AtriumError {
  readonly code = 'ATRIUM_TOOL_SEND_TO_SELF';

  constructor(readonly sessionKey: string) {
    super(`${JSON.stringify(sessionKey)} is this session, which cannot send to itself. Answer instead.`);
  }
}

export class ToolSendCycleError extends AtriumError {
  readonly code = 'ATRIUM_TOOL_SEND_CYCLE';

  /** `path` holds the keys of the sessions that passed the matter on, the sending one last. */
  constructor(
    readonly sessionKey: string,
    readonly path: readonly string[],
  ) {
    super(
      `The session ${JSON.stringify(sessionKey)} has passed this matter on and would wait for itself. Answer instead: the answer goes back to whoever asked.`,
    );
  }
}

export class ToolSendTooFarError extends AtriumError {
  readonly code = 'ATRIUM_TOOL_SEND_TOO_FAR';

  constructor(
    readonly path: readonly string[],
    readonly limit: number,
  ) {
    super(
      `This matter has been passed on ${limit} times, which is as far as it may go. Answer with what is known here.`,
    );
  }
}

export class ToolSendNowhereError extends AtriumError {
  readonly code = 'ATRIUM_TOOL_SEND_NOWHERE';

  constructor(readonly sessionKey: string) {
    super(
      `The session ${JSON.stringify(sessionKey)} is at no place where it could answer: it was deleted, or nobody has written there yet. Send to another one.`,
    );
  }
}

export class UnknownAllowRuleError extends AtriumError {
  readonly code = 'ATRIUM_APPROVAL_RULE_UNKNOWN';
  constructor(readonly ruleId: string) {
    super(`There is no rule ${JSON.stringify(ruleId)}. "atrium approvals rules" lists those that there are.`);
  }
}

export class CommandNotGrantedError extends AtriumError {
  readonly code = 'ATRIUM_TOOL_EXEC_NOT_GRANTED';
  constructor(readonly problem: string) {
    super(`The command was not run: ${problem}. Call exec again, so that it is decided anew.`);
  }
}

export class ProgramMissingError extends AtriumError {
  readonly code = 'ATRIUM_TOOL_EXEC_NO_PROGRAM';
  constructor(readonly program: string) {
    super(
      `There is no program ${JSON.stringify(program)} that could be run; check its name, and that it may be executed.`,
    );
  }
}

export class UnknownProcessError extends AtriumError {
  readonly code = 'ATRIUM_TOOL_PROCESS_UNKNOWN';
  constructor(readonly processId: string) {
    super(`There is no command ${JSON.stringify(processId)} that may be seen from here. List them with "list".`);
  }
}

export class ProcessLimitError extends AtriumError {
  readonly code = 'ATRIUM_TOOL_PROCESS_LIMIT';
  constructor(
    readonly limit: number,
    readonly scope: string,
  ) {
    super(`${limit} commands ${scope} run in the background already, which is the most. End one with process kill.`);
  }
}

export class PluginGoneError extends AtriumError {
  readonly code = 'ATRIUM_PLUGIN_GONE';
  constructor(readonly pluginId: string) {
    super(
      `The plugin "${pluginId}" was unloaded or loaded again since, so what its old code does is not waited for any more.`,
    );
  }
}

export class UnknownPluginError extends AtriumError {
  readonly code = 'ATRIUM_PLUGIN_UNKNOWN';
  constructor(
    readonly pluginId: string,
    readonly suggestion: string | undefined,
  ) {
    super(
      `There is no plugin "${pluginId}".${suggestion ? ` Did you mean "${suggestion}"?` : ' List them with "atrium plugins list".'}`,
    );
  }
}

export class PluginRefusedError extends AtriumError {
  readonly code = 'ATRIUM_PLUGIN_REFUSED';
  constructor(
    readonly pluginId: string,
    readonly detail: string,
  ) {
    super(`What the plugin "${pluginId}" asked for was not done: ${detail}.`);
  }
}

export class PluginTimeoutError extends AtriumError {
  readonly code = 'ATRIUM_PLUGIN_TIMEOUT';
  constructor(
    readonly pluginId: string,
    readonly what: string,
    readonly afterMs: number,
  ) {
    super(`The plugin "${pluginId}" did not answer within ${afterMs} ms: ${what}.`);
  }
}

export class UnknownMethodError extends AtriumError {
  readonly code = 'ATRIUM_HTTP_METHOD_UNKNOWN';
  constructor(
    readonly method: string,
    readonly suggestion: string | undefined,
  ) {
    super(
      `There is no method ${JSON.stringify(method)}.${suggestion ? ` Did you mean "${suggestion}"?` : ' GET /api/methods lists them.'}`,
    );
  }
}

export class PluginCliError extends AtriumError {
  readonly code = 'ATRIUM_PLUGIN_CLI_FAILED';
  constructor(
    readonly pluginId: string,
    readonly command: string,
    readonly detail: string,
    options?: { cause?: unknown },
  ) {
    super(`The command "${command}" of the plugin "${pluginId}" failed: ${detail}`, options);
  }
}

export class InstallSourceError extends AtriumError {
  readonly code = 'ATRIUM_INSTALL_SOURCE';
  constructor(
    readonly given: string,
    readonly problem: string,
  ) {
    super(
      `${JSON.stringify(given)} cannot be installed: ${problem}. Give an npm name such as "some-plugin@1.2.3", a folder such as "./some-plugin", or an archive such as "./some-plugin.tgz".`,
    );
  }
}

export class ArchiveRefusedError extends AtriumError {
  readonly code = 'ATRIUM_INSTALL_ARCHIVE';
  constructor(
    readonly archive: string,
    readonly problem: string,
    options?: ErrorOptions,
  ) {
    super(
      `The archive ${archive} is refused, and nothing of it was installed: ${problem}. Ask its author for a proper one.`,
      options,
    );
  }
}

export class FolderRefusedError extends AtriumError {
  readonly code = 'ATRIUM_INSTALL_FOLDER';
  constructor(
    readonly folder: string,
    readonly problem: string,
    options?: ErrorOptions,
  ) {
    super(`The folder ${folder} is refused, and nothing of it was installed: ${problem}.`, options);
  }
}

export class NotInstallableError extends AtriumError {
  readonly code = 'ATRIUM_INSTALL_NOTHING';
  constructor(
    readonly spec: string,
    readonly problem: string,
  ) {
    super(`There is nothing to install in ${spec}: ${problem}.`);
  }
}

export class NpmMissingError extends AtriumError {
  readonly code = 'ATRIUM_INSTALL_NO_NPM';
  constructor(options?: ErrorOptions) {
    super(
      'The program "npm" was not found, and packages are fetched with it. Install it, or check PATH; it comes with Node.',
      options,
    );
  }
}

export class NpmFailedError extends AtriumError {
  readonly code = 'ATRIUM_INSTALL_NPM';
  constructor(
    readonly task: string,
    readonly detail: string,
  ) {
    super(`npm could not ${task}, and nothing was installed: ${detail}`);
  }
}

export class DependencyRefusedError extends AtriumError {
  readonly code = 'ATRIUM_INSTALL_DEPENDENCY';
  constructor(
    readonly dependency: string,
    readonly problem: string,
  ) {
    super(
      `The dependency "${dependency}" is refused, and nothing was installed: ${problem}. Dependencies have to come from the npm registry.`,
    );
  }
}

export class InstallExistsError extends AtriumError {
  readonly code = 'ATRIUM_INSTALL_EXISTS';
  constructor(
    readonly id: string,
    readonly problem: string,
  ) {
    super(`"${id}" was not installed, because ${problem}. With --force it is replaced.`);
  }
}

export class InstallBusyError extends AtriumError {
  readonly code = 'ATRIUM_INSTALL_BUSY';
  constructor(readonly pid: number) {
    super(`Another command (process ${pid}) is installing or uninstalling something. Try again when it is done.`);
  }
}

export class InstallBlockedError extends AtriumError {
  readonly code = 'ATRIUM_INSTALL_BLOCKED';
  constructor(
    readonly target: string,
    readonly by: string,
    readonly reason: string,
  ) {
    super(
      `"${target}" was not installed, because the before_install handler of "${by}" refused it: ${reason}. If the refusal is wrong, change or disable that plugin and try again.`,
    );
  }
}

export class InstallUncheckedError extends AtriumError {
  readonly code = 'ATRIUM_INSTALL_UNCHECKED';
  constructor(
    readonly target: string,
    readonly detail: string,
    options?: ErrorOptions,
  ) {
    super(
      `"${target}" was not installed, because the before_install handlers could not be asked: ${detail} Mend that, or stop the gateway, and try again.`,
      options,
    );
  }
}

export class InstallUnconfirmedError extends AtriumError {
  readonly code = 'ATRIUM_INSTALL_UNCONFIRMED';
  constructor(readonly target: string) {
    super(
      `"${target}" was not installed, because nobody is here to be asked. Read what is shown above, then run the command again with --yes.`,
    );
  }
}

export class InstallNotWritableError extends AtriumError {
  readonly code = 'ATRIUM_INSTALL_NOT_WRITABLE';
  constructor(
    readonly dir: string,
    options?: ErrorOptions,
  ) {
    super(`${dir} could not be written; what was there is unchanged. Check permissions and free space.`, options);
  }
}

export class InstallRecordsError extends AtriumError {
  readonly code = 'ATRIUM_INSTALL_RECORDS';
  constructor(
    readonly file: string,
    readonly problem: string,
    options?: ErrorOptions,
  ) {
    super(
      `The list of what is installed, ${file}, cannot be used: ${problem}. Mend it, or move it away; what is installed stays.`,
      options,
    );
  }
}

export class NotInstalledError extends AtriumError {
  readonly code = 'ATRIUM_INSTALL_UNKNOWN';
  constructor(
    readonly id: string,
    readonly suggestion: string | undefined,
  ) {
    super(
      `Nothing called "${id}" was installed with "atrium plugins install" or "atrium skills install".${suggestion ? ` Did you mean "${suggestion}"?` : ' What you put into the state directory yourself is yours to remove.'}`,
    );
  }
}

export class InvalidPluginIdError extends AtriumError {
  readonly code = 'ATRIUM_PLUGIN_ID_INVALID';
  constructor(
    readonly pluginId: string,
    readonly suggestion: string | undefined,
  ) {
    super(
      `${JSON.stringify(pluginId)} cannot be the id of a plugin. Use small letters, digits and dashes, beginning with a letter, at most 64.${suggestion ? ` For example: ${suggestion}` : ''}`,
    );
  }
}

export class PluginFolderExistsError extends AtriumError {
  readonly code = 'ATRIUM_PLUGIN_FOLDER_EXISTS';
  constructor(readonly dir: string) {
    super(`${dir} exists already and is left as it is. Choose another id, or another folder with --dir.`);
  }
}

export class PluginNotWritableError extends AtriumError {
  readonly code = 'ATRIUM_PLUGIN_NOT_WRITABLE';
  constructor(
    readonly dir: string,
    options?: ErrorOptions,
  ) {
    super(`The files of the plugin could not be written to ${dir}. Check permissions and free space.`, options);
  }
}

export class PluginWithoutTestsError extends AtriumError {
  readonly code = 'ATRIUM_PLUGIN_NO_TESTS';
  constructor(readonly dir: string) {
    super(`There are no tests in ${dir}. Add an index.test.ts beside the plugin's entry.`);
  }
}

export class PluginSdkMissingError extends AtriumError {
  readonly code = 'ATRIUM_PLUGIN_SDK_MISSING';
  /** Such as `openclaw/plugin-sdk/core#someFunction`, or a module alone. */
  constructor(readonly missing: readonly string[]) {
    super(
      `It imports ${missing.join(', ')}, which Atrium does not have. Use a version of the plugin that does without, or ask its author.`,
    );
  }
}

export class PluginMethodError extends AtriumError {
  readonly code = 'ATRIUM_PLUGIN_METHOD';
  /** `pluginCode` and `reason` are the plugin's own words. */
  constructor(
    readonly pluginId: string,
    readonly method: string,
    readonly pluginCode: string | undefined,
    readonly reason: string,
  ) {
    super(`The plugin "${pluginId}" answered "${method}" with an error: ${reason}`);
  }
}

export class PluginWorkerError extends AtriumError {
  readonly code = 'ATRIUM_PLUGIN_WORKER';
  /** `culprit` is the plugin because of which the worker was ended, as far as that is known. */
  constructor(
    readonly pluginId: string,
    readonly culprit: string | undefined,
    readonly reason: string,
  ) {
    super(
      culprit === pluginId
        ? `${reason} Run "atrium plugins reload ${pluginId}" to try it again.`
        : `The plugin "${pluginId}" could not answer, because the plugin worker was ended. ${reason}`,
    );
  }
}

export class PluginCrossingError extends AtriumError {
  readonly code = 'ATRIUM_PLUGIN_CROSSING';
  constructor(
    readonly pluginId: string,
    readonly problem: string,
  ) {
    super(
      `A value cannot pass between the gateway and the plugin "${pluginId}": ${problem}. Plain data can, or set plugins.entries.${pluginId}.isolation to "inline".`,
    );
  }
}
