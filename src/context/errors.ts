// The errors that context raises, one row each. docs/errors.md is made from these rows.

import { defineError } from '../protocol/errors.ts';

export class UnreadableBootstrapFileError extends defineError({
  code: 'ATRIUM_FILE_UNREADABLE',
  message: ({ path, detail }: { path: string; detail: string }) =>
    `The bootstrap file ${path} cannot be read (${detail}). Check the file, its permissions and the disk it is on.`,
  means:
    "`loadWorkspaceBootstrapFiles` found a bootstrap file that it cannot read. Composing does not fail: it puts a marker in the file's place.",
  remedy: 'Check the file, its permissions and the disk.',
}) {}

export class WorkspaceNotFoundError extends defineError({
  code: 'ATRIUM_WORKSPACE_NOT_FOUND',
  message: ({ dir }: { dir: string }) =>
    `There is no workspace at ${dir}. Create it with "atrium agents init", or point the agent at another directory.`,
  means: "The agent's workspace does not exist.",
  remedy: 'Create it with `atrium agents init`, or point the agent elsewhere.',
}) {}

export class WorkspaceNotDirectoryError extends defineError({
  code: 'ATRIUM_WORKSPACE_NOT_DIRECTORY',
  message: ({ dir }: { dir: string }) =>
    `The workspace ${dir} cannot be a directory: a file or a dead link is in its place. Move that away, or point the agent at another directory.`,
  means: 'There is a file or a dead link where the workspace should be.',
  remedy: 'Move it away, or point the agent elsewhere.',
}) {}

export class WorkspaceNotWritableError extends defineError({
  code: 'ATRIUM_WORKSPACE_NOT_WRITABLE',
  message: ({ dir, path }: { dir: string; path: string }, cause: unknown) => {
    const reason = (cause as NodeJS.ErrnoException | undefined)?.code;
    return `Cannot write ${path}${reason ? ` (${reason})` : ''}. Check the permissions and the free space of the workspace ${dir}, or point the agent at another directory.`;
  },
  means: 'A file of the workspace could not be written.',
  remedy: 'Check permissions and free space.',
}) {}

export class WorkspaceStateOutsideError extends defineError({
  code: 'ATRIUM_WORKSPACE_STATE_OUTSIDE',
  message: ({ dir, path }: { dir: string; path: string }) =>
    `${path} is a link that leaves the workspace ${dir}, so nothing was written through it. Replace the link by a directory.`,
  means: '`.openclaw` in the workspace is a link that leads out of it, so nothing was written through it.',
  remedy: 'Replace the link by a directory.',
}) {}

export class KeptSectionsOverBudgetError extends defineError({
  code: 'ATRIUM_BUDGET_KEPT_SECTIONS',
  message: ({
    file,
    neededChars,
    availableChars,
    setting,
  }: {
    file: string;
    neededChars: number;
    availableChars: number;
    setting: 'bootstrapMaxChars' | 'bootstrapTotalMaxChars';
  }) => {
    const overBy = neededChars - availableChars;
    const whose =
      setting === 'bootstrapMaxChars'
        ? `The kept sections of ${file} need ${neededChars} characters`
        : `The kept sections of all files together need ${neededChars} characters (${file} is the first that does not fit)`;
    return `${whose}, ${overBy} more than the ${availableChars} allowed. Raise ${setting} to ${neededChars} or more, or keep fewer sections.`;
  },
  means: 'Sections that must be kept need more characters than are allowed; `overBy` says how many more.',
  remedy: 'Raise the setting that the message names, or keep fewer sections.',
}) {
  readonly overBy = this.neededChars - this.availableChars;
}

export class KeptSectionsOverTokenBudgetError extends defineError({
  code: 'ATRIUM_BUDGET_KEPT_SECTIONS_TOKENS',
  message: ({
    files,
    neededTokens,
    availableTokens,
  }: {
    files: readonly string[];
    neededTokens: number;
    availableTokens: number;
  }) => {
    const overBy = neededTokens - availableTokens;
    return `The kept sections of ${files.join(', ')} need about ${neededTokens} tokens, ${overBy} more than the ${availableTokens} allowed. Raise bootstrapMaxTokens to ${neededTokens} or more, or keep fewer sections.`;
  },
  means: 'Sections that must be kept need more tokens than are allowed; `overBy` says how many more.',
  remedy: 'Raise `bootstrapMaxTokens`, or keep fewer sections.',
}) {
  readonly overBy = this.neededTokens - this.availableTokens;
}
