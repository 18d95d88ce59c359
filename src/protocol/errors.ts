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
