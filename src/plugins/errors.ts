// The errors that plugins raises, one row each. docs/errors.md is made from these rows.

import { defineError } from '../protocol/errors.ts';

/** What runs in the plugin worker: a plugin, a hook pack, or a handler file that the configuration names. */
export type WorkerNoun = 'plugin' | 'hook' | 'handler';

/** The command that lets it be called again. */
function retryCommand(noun: WorkerNoun, id: string): string {
  return noun === 'plugin' ? `atrium plugins reload ${id}` : `atrium hooks rearm ${id}`;
}

/** The setting that lets it run in the gateway. */
function isolationSetting(noun: WorkerNoun, id: string): string {
  if (noun === 'plugin') return `plugins.entries.${id}.isolation`;
  return noun === 'hook' ? `hooks.internal.entries.${id}.isolation` : 'the "isolation" of its entry';
}

export class PluginGoneError extends defineError({
  code: 'ATRIUM_PLUGIN_GONE',
  message: ({ pluginId, noun = 'plugin' }: { pluginId: string; noun?: WorkerNoun | undefined }) =>
    `The ${noun} "${pluginId}" was unloaded or loaded again, so its old code gets no answer any more.`,
  means: 'Code of a plugin or a hook pack that was unloaded or loaded again asked for something, or was asked.',
  remedy: 'Nothing; the new code has taken over.',
}) {}

export class UnknownPluginError extends defineError({
  code: 'ATRIUM_PLUGIN_UNKNOWN',
  status: 404,
  message: ({ pluginId, suggestion }: { pluginId: string; suggestion: string | undefined }) =>
    `There is no plugin "${pluginId}".${suggestion ? ` Did you mean "${suggestion}"?` : ' List them with "atrium plugins list".'}`,
  means: 'No plugin of this id was found.',
  remedy: 'Use an id that `atrium plugins list` shows.',
}) {}

export class PluginRefusedError extends defineError({
  code: 'ATRIUM_PLUGIN_REFUSED',
  status: 422,
  message: ({ pluginId, detail }: { pluginId: string; detail: string }) =>
    `The gateway did not do what the plugin "${pluginId}" asked for: ${detail}.`,
  means: 'A plugin asked the gateway for something that it may not have or that makes no sense; `detail` says which.',
  remedy: 'Correct the plugin, or allow it in `plugins.entries`.',
}) {}

export class InstallSourceError extends defineError({
  code: 'ATRIUM_INSTALL_SOURCE',
  message: ({ given, problem }: { given: string; problem: string }) =>
    `${JSON.stringify(given)} cannot be installed: ${problem}. Give an npm name such as "some-plugin@1.2.3", a folder such as "./some-plugin", or an archive such as "./some-plugin.tgz".`,
  means: 'The text that was given is not an npm name, a folder or an archive.',
  remedy: 'Give one of the three, as the message shows.',
}) {}

export class ArchiveRefusedError extends defineError({
  code: 'ATRIUM_INSTALL_ARCHIVE',
  message: ({ archive, problem }: { archive: string; problem: string }) =>
    `The archive ${archive} is refused, and nothing of it was installed: ${problem}. Ask its author for a proper one.`,
  means:
    'The archive leads out of its own folder, holds links or devices, or is too large. Nothing was unpacked to its place.',
  remedy: 'Ask its author for a proper archive.',
}) {}

export class FolderRefusedError extends defineError({
  code: 'ATRIUM_INSTALL_FOLDER',
  message: ({ folder, problem }: { folder: string; problem: string }) =>
    `The folder ${folder} is refused, and nothing of it was installed: ${problem}.`,
  means: 'The folder holds links that lead elsewhere, something that is no file, or too much.',
  remedy: 'Remove what the message names, or install a copy without it.',
}) {}

export class NotInstallableError extends defineError({
  code: 'ATRIUM_INSTALL_NOTHING',
  message: ({ spec, problem }: { spec: string; problem: string }) =>
    `There is nothing to install in ${spec}: ${problem}.`,
  means: 'The package has no plugin, hook pack or skill of the kind that was asked for.',
  remedy: 'Check the name; the message says what was found instead.',
}) {}

export class NpmMissingError extends defineError({
  code: 'ATRIUM_INSTALL_NO_NPM',
  message:
    'The program "npm" was not found, and packages are fetched with it. Install it, or check PATH; it comes with Node.',
  means: 'The program `npm` is not there.',
  remedy: 'Install it, or check PATH.',
}) {}

export class NpmFailedError extends defineError({
  code: 'ATRIUM_INSTALL_NPM',
  message: ({ task, detail }: { task: string; detail: string }) => `npm could not ${task}: ${detail}`,
  means: 'npm could not fetch the package or its dependencies.',
  remedy: 'Follow what npm says at the end of the message.',
}) {}

export class DependencyRefusedError extends defineError({
  code: 'ATRIUM_INSTALL_DEPENDENCY',
  message: ({ dependency, problem }: { dependency: string; problem: string }) =>
    `The dependency "${dependency}" is refused, and nothing was installed: ${problem}. Dependencies have to come from the npm registry.`,
  means: 'A dependency does not come from the registry, or leads out of the package.',
  remedy: 'Ask the author to publish the dependency.',
}) {}

export class InstallExistsError extends defineError({
  code: 'ATRIUM_INSTALL_EXISTS',
  message: ({ id, problem }: { id: string; problem: string }) =>
    `"${id}" was not installed, because ${problem}. With --force it is replaced.`,
  means: 'The place of what was to be installed is taken by something else.',
  remedy: 'Keep it, or replace it with `--force`.',
}) {}

export class InstallBusyError extends defineError({
  code: 'ATRIUM_INSTALL_BUSY',
  message: ({ pid }: { pid: number }) =>
    `Another command (process ${pid}) is installing or uninstalling something. Try again when it is done.`,
  means: 'Another command is installing or uninstalling.',
  remedy: 'Wait for it and try again.',
}) {}

export class InstallNotWritableError extends defineError({
  code: 'ATRIUM_INSTALL_NOT_WRITABLE',
  message: ({ dir }: { dir: string }) =>
    `${dir} could not be written; what was there is unchanged. Check permissions and free space.`,
  means: 'The state directory could not be written. What was there is unchanged.',
  remedy: 'Check permissions and free space.',
}) {}

export class InstallRecordsError extends defineError({
  code: 'ATRIUM_INSTALL_RECORDS',
  message: ({ file, problem }: { file: string; problem: string }) =>
    `The list of what is installed, ${file}, cannot be used: ${problem}. Correct the file, or move it away; what is installed stays.`,
  means: '`extensions/installs.json` cannot be read.',
  remedy: 'Correct the file, or move it away.',
}) {}

export class NotInstalledError extends defineError({
  code: 'ATRIUM_INSTALL_UNKNOWN',
  message: ({ id, suggestion }: { id: string; suggestion: string | undefined }) =>
    `Nothing called "${id}" was installed with "atrium plugins install" or "atrium skills install".${suggestion ? ` Did you mean "${suggestion}"?` : ' Remove what you put into the state directory yourself by hand.'}`,
  means: 'Nothing of this name was installed by a command.',
  remedy: 'Use a name that `atrium plugins list` or `atrium skills list` shows as installed.',
}) {}

export class InvalidPluginIdError extends defineError({
  code: 'ATRIUM_PLUGIN_ID_INVALID',
  message: ({ pluginId, suggestion }: { pluginId: string; suggestion: string | undefined }) =>
    `${JSON.stringify(pluginId)} cannot be the id of a plugin. Use small letters, digits and dashes, beginning with a letter, at most 64.${suggestion ? ` For example: ${suggestion}` : ''}`,
  means: "The text cannot be a plugin's id.",
  remedy: 'Use small letters, digits and dashes.',
}) {}

export class PluginFolderExistsError extends defineError({
  code: 'ATRIUM_PLUGIN_FOLDER_EXISTS',
  message: ({ dir }: { dir: string }) =>
    `${dir} exists already and is left as it is. Choose another id, or another folder with --dir.`,
  means: 'The folder for a new plugin exists already.',
  remedy: 'Choose another id or `--dir`.',
}) {}

export class PluginNotWritableError extends defineError({
  code: 'ATRIUM_PLUGIN_NOT_WRITABLE',
  message: ({ dir }: { dir: string }) =>
    `The files of the plugin could not be written to ${dir}. Check permissions and free space.`,
  means: 'The files of a new plugin could not be written.',
  remedy: 'Check permissions and free space.',
}) {}

export class PluginWithoutTestsError extends defineError({
  code: 'ATRIUM_PLUGIN_NO_TESTS',
  message: ({ dir }: { dir: string }) =>
    `There are no tests in ${dir}. Add an index.test.ts beside the plugin's entry.`,
  means: '`atrium plugins test` found no test file.',
  remedy: 'Add an `index.test.ts`.',
}) {}

/** Such as `openclaw/plugin-sdk/core#someFunction`, or a module alone. */
export class PluginSdkMissingError extends defineError({
  code: 'ATRIUM_PLUGIN_SDK_MISSING',
  message: ({ missing }: { missing: readonly string[] }) =>
    `It imports ${missing.join(', ')}, which Atrium does not have. Use a version of the plugin that does not need it, or ask its author.`,
  means:
    'A plugin imports a module or a name of the plugin SDK that does not exist here; `missing` names it. The plugin is not loaded.',
  remedy: 'Use a version of the plugin that does not need it.',
}) {}

/** `pluginCode` and `reason` are the plugin's own words. */
export class PluginMethodError extends defineError({
  code: 'ATRIUM_PLUGIN_METHOD',
  status: 422,
  message: ({
    pluginId,
    method,
    reason,
  }: {
    pluginId: string;
    method: string;
    pluginCode: string | undefined;
    reason: string;
  }) => `The plugin "${pluginId}" answered "${method}" with an error: ${reason}`,
  means: 'A plugin answered one of its gateway methods with an error; `pluginCode` and `reason` are its own words.',
  remedy: 'Correct the call, as the plugin says.',
}) {}

/** `culprit` is the plugin because of which the worker was ended, as far as that is known. */
export class PluginWorkerError extends defineError({
  code: 'ATRIUM_PLUGIN_WORKER',
  message: ({
    pluginId,
    noun = 'plugin',
    culprit,
    reason,
  }: {
    pluginId: string;
    noun?: WorkerNoun | undefined;
    culprit: string | undefined;
    reason: string;
  }) =>
    culprit === pluginId
      ? `${reason} Run "${retryCommand(noun, pluginId)}" to try it again.`
      : `The ${noun} "${pluginId}" could not answer, because the plugin worker was ended. ${reason}`,
  means:
    'A call of a plugin, a hook pack or a handler file got no answer, because the worker that they run in was ended; `culprit` names the one that kept it busy, used up its memory or ended it. The others run again at once.',
  remedy: 'Load the culprit again with `atrium plugins reload` or `atrium hooks rearm`, or disable it.',
}) {}

export class PluginCrossingError extends defineError({
  code: 'ATRIUM_PLUGIN_CROSSING',
  message: ({
    pluginId,
    noun = 'plugin',
    problem,
  }: {
    pluginId: string;
    noun?: WorkerNoun | undefined;
    problem: string;
  }) =>
    `A value cannot pass between the gateway and the ${noun} "${pluginId}": ${problem}. Plain data can, or set ${isolationSetting(noun, pluginId)} to "inline".`,
  means:
    'What a plugin was given or answered with cannot pass between the worker and the gateway; `problem` names the place.',
  remedy: "Pass plain data, or set the plugin's `isolation` to `inline`.",
}) {}
