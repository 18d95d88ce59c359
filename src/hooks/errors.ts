// The errors that the hooks folder raises, one row each. docs/errors.md is made from these rows.

import { docsCommand } from '../protocol/documents.ts';
import { defineError } from '../protocol/errors.ts';

export class DuplicateHandlerError extends defineError({
  code: 'ATRIUM_HOOK_DUPLICATE',
  message: ({ hook, id, owner }: { hook: string; id: string; owner: string }) =>
    owner === 'atrium'
      ? `A handler "${id}" comes with Atrium, and its settings have that name. Give yours another id.`
      : `A handler "${id}" is already registered on ${hook} by ${owner}. Give yours another id, or unregister the other one first.`,
  means: 'A handler of this id is registered on the hook already; `owner` names its plugin or program.',
  remedy: 'Choose another id, or unregister the other handler first.',
}) {}

export class UnknownHookError extends defineError({
  code: 'ATRIUM_HOOK_UNKNOWN',
  message: ({ hook, suggestion }: { hook: string; suggestion: string | undefined }) =>
    `There is no hook "${hook}".${suggestion ? ` Did you mean "${suggestion}"?` : ` See "${docsCommand('hooks')}" for the catalog.`}`,
  means: 'There is no hook of this name.',
  remedy: 'Use a name from the catalog.',
}) {}

export class HandlerAbortError extends defineError({
  code: 'ATRIUM_HOOK_ABORTED',
  message: ({ hook, id, reason }: { hook: string; id: string; reason: string }) =>
    `The handler "${id}" on ${hook} failed (${reason}) and is set to abort. Correct it, or set its onError to "skip" to go on without it.`,
  means: 'A handler failed that is set to `onError: "abort"`, so nothing was composed. `cause` is what it threw.',
  remedy: 'Correct the handler, or set its `onError` to `"skip"`.',
}) {}

export class HookHandlerOutsideError extends defineError({
  code: 'ATRIUM_HOOK_HANDLER_OUTSIDE',
  message: ({ hook, path, rootDir }: { hook: string; path: string; rootDir: string }) =>
    `The handler of hook "${hook}" (${path}) lies outside ${rootDir}. Copy the file into that directory instead of linking to it.`,
  means: "A handler's file leads out of the folder that it must lie in.",
  remedy: 'Copy the file into that folder instead of linking to it.',
}) {}

export class HookHandlerLoadError extends defineError({
  code: 'ATRIUM_HOOK_HANDLER_LOAD',
  message: ({ hook, path, reason }: { hook: string; path: string; reason: string }) =>
    `The handler of hook "${hook}" (${path}) cannot be loaded: ${reason}. Correct the file, or disable the hook.`,
  means: "A handler's file cannot be loaded.",
  remedy: 'Correct the file, or disable the hook.',
}) {}

export class HookHandlerLoadTimeoutError extends defineError({
  code: 'ATRIUM_HOOK_HANDLER_LOAD_TIMEOUT',
  message: ({ hook, path, afterMs }: { hook: string; path: string; afterMs: number }) =>
    `The handler of hook "${hook}" (${path}) did not finish loading within ${afterMs} ms. Move slow work from the top of the file into the handler.`,
  means: "A handler's file did not finish loading in time.",
  remedy: 'Move slow work from the top of the file into the handler.',
}) {}

export class HookHandlerExportError extends defineError({
  code: 'ATRIUM_HOOK_HANDLER_EXPORT',
  message: ({
    hook,
    path,
    exportName,
    functions,
  }: {
    hook: string;
    path: string;
    exportName: string;
    functions: readonly string[];
  }) =>
    `The handler of hook "${hook}" (${path}) exports no function "${exportName}".${
      functions.length > 0
        ? ` It does export ${functions.join(', ')}: name the right one as "export" in HOOK.md.`
        : ' Export one.'
    }`,
  means: "A handler's file has no function of the wanted name; `functions` lists those it has.",
  remedy: 'Export one, or name the right one.',
}) {}

export class HookWithoutEventsError extends defineError({
  code: 'ATRIUM_HOOK_NO_EVENTS',
  message: ({ hook, path }: { hook: string; path: string }) =>
    `The hook "${hook}" names no events and would never fire. Add metadata.openclaw.events to ${path}.`,
  means: 'A hook pack names no events and would never fire.',
  remedy: 'Add `metadata.openclaw.events` to its `HOOK.md`.',
}) {}

export class HookWithoutTestsError extends defineError({
  code: 'ATRIUM_HOOK_NO_TESTS',
  message: ({ hook, dir }: { hook: string; dir: string }) =>
    `The hook "${hook}" has no tests. Add a handler.test.ts to ${dir}.`,
  means: 'A hook pack has no tests to run.',
  remedy: 'Add a `handler.test.ts` to its folder.',
}) {}

export class InvalidHookNameError extends defineError({
  code: 'ATRIUM_HOOK_NAME_INVALID',
  message: ({ hookName, suggestion }: { hookName: string; suggestion: string | undefined }) =>
    `"${hookName}" cannot be the name of a hook: use small letters, digits and single dashes, beginning with a letter, at most 64 in all.${
      suggestion ? ` For example: ${suggestion}` : ''
    }`,
  means: "The text cannot be a hook's name.",
  remedy: 'Use small letters, digits and single dashes, beginning with a letter.',
}) {}

export class HookNameTakenError extends defineError({
  code: 'ATRIUM_HOOK_NAME_TAKEN',
  message: ({ hook }: { hook: string }) =>
    `"${hook}" is the name of a hook that comes with Atrium, and yours would share its settings. Choose another name, such as my-${hook}.`,
  means: 'A new hook cannot have the name of one that comes with the product.',
  remedy: 'Choose another name.',
}) {}

export class HookExistsError extends defineError({
  code: 'ATRIUM_HOOK_EXISTS',
  message: ({ hook, dir }: { hook: string; dir: string }) =>
    `${dir} exists already and is left as it is. Choose another name than "${hook}", or remove that directory first.`,
  means: 'The folder for a new hook exists already and was left as it is.',
  remedy: 'Choose another name, or remove the folder first.',
}) {}

export class HookNotWritableError extends defineError({
  code: 'ATRIUM_HOOK_NOT_WRITABLE',
  message: ({ dir }: { dir: string }, cause: unknown) => {
    const reason = (cause as NodeJS.ErrnoException | undefined)?.code ?? 'it failed';
    return `The hook cannot be written to ${dir} (${reason}). Check the permissions and the free space there.`;
  },
  means: 'The folder for a new hook cannot be written.',
  remedy: 'Check the permissions and the free space there.',
}) {}

export class InvalidHandlerError extends defineError({
  code: 'ATRIUM_HOOK_INVALID_HANDLER',
  message: ({ hook, id, problem }: { hook: string; id: unknown; problem: string }) =>
    `The handler ${JSON.stringify(id)} cannot be registered on ${hook}: ${problem}.`,
  means: 'A registration lacks an id, a function, or a usable number.',
  remedy: 'Correct what the message names.',
}) {}
