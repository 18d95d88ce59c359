// The errors that the cli folder raises, one row each. docs/errors.md is made from these rows.

import { defineError } from '../protocol/errors.ts';

export class FlagCombinationError extends defineError({
  code: 'ATRIUM_CLI_FLAG_COMBINATION',
  message: ({ problem }: { problem: string }) => problem,
  means: 'A flag that is needed is missing, or two were given that do not go together.',
  remedy: 'Give those that the message names.',
}) {}

export class AmbiguousHandlerError extends defineError({
  code: 'ATRIUM_HOOK_HANDLER_AMBIGUOUS',
  message: ({ handler, ids }: { handler: string; ids: readonly string[] }) =>
    `"${handler}" can mean ${ids.join(' or ')}. Use one of these names.`,
  means: 'Several handlers answer to this name; `ids` lists them.',
  remedy: 'Use one of the full names.',
}) {}

export class UnknownHookPackError extends defineError({
  code: 'ATRIUM_HOOK_PACK_UNKNOWN',
  message: ({ pack, suggestion }: { pack: string; suggestion: string | undefined }) =>
    `There is no hook pack "${pack}". ${
      suggestion
        ? `Did you mean "${suggestion}"?`
        : `Write one with "atrium hooks new", or see what there is with "atrium hooks list".`
    }`,
  means: 'No hook pack has this name.',
  remedy: 'Write one with `atrium hooks new`, or see what there is with `atrium hooks list`.',
}) {}

export class AgentExistsError extends defineError({
  code: 'ATRIUM_AGENT_EXISTS',
  message: ({ agentId, file }: { agentId: string; file: string }) =>
    `There is an agent "${agentId}" already, in ${file}. Choose another id, or create its workspace with "atrium agents init ${agentId}".`,
  means: 'The configuration has an agent of this id already.',
  remedy: 'Choose another id, or create its workspace with `atrium agents init`.',
}) {}

export class InvalidAgentIdError extends defineError({
  code: 'ATRIUM_AGENT_ID_INVALID',
  status: 400,
  message: ({ agentId, suggestion }: { agentId: string; suggestion: string | undefined }) =>
    `"${agentId}" cannot be the id of an agent: use letters, digits, dashes and underscores, beginning with a letter or a digit, at most 64 in all.${
      suggestion ? ` For example: ${suggestion}` : ''
    }`,
  means: "The text cannot be an agent's id, because it becomes part of paths and session keys.",
  remedy: 'Use letters, digits, dashes and underscores, at most 64.',
}) {}

export class ExamplesMissingError extends defineError({
  code: 'ATRIUM_EXAMPLES_MISSING',
  message: ({ dir }: { dir: string }) =>
    `The example workspace that the tour shows is not in ${dir}. Install Atrium again, or look at your own home with "atrium context report".`,
  means: 'The example workspace that the tour shows is not installed.',
  remedy: 'Install Atrium again, or look at your own home with `atrium context report`.',
}) {}

export class NothingToCompareError extends defineError({
  code: 'ATRIUM_CLI_NOTHING_TO_COMPARE',
  message:
    'There is only one situation to compare. Give a flag twice (--at 10:00 --at 23:30), or say what is different on the other side (--vs-at 23:30).',
  means: '`atrium context diff` was given one situation only.',
  remedy: 'Give a flag twice, or say what is different with a `--vs-` flag.',
}) {}

export class RevisionUnknownError extends defineError({
  code: 'ATRIUM_CLI_REVISION_UNKNOWN',
  message: ({ revision, dir, detail }: { revision: string; dir: string; detail: string }) =>
    `The workspace ${dir} could not be read at the revision "${revision}": ${detail} Name a commit, branch or tag of the repository that the workspace is in.`,
  means: 'The workspace is in no git repository, or the repository has no such revision.',
  remedy: 'Name a commit, branch or tag of the repository that the workspace is in.',
}) {}

export class RunPromptGoneError extends defineError({
  code: 'ATRIUM_CLI_RUN_PROMPT_GONE',
  message: ({ run }: { run: string }) =>
    `The prompt that was composed for the run ${run} cannot be shown: it is not stored any more, or a plugin put another one in its place. Read what was sent with "atrium run show ${run} --request".`,
  means: 'The prompt of the run was removed from the store, or a plugin replaced it before it was sent.',
  remedy: 'Read what was sent with `atrium run show <run> --request`, or compare with another run.',
}) {}

export class NoSuchLineError extends defineError({
  code: 'ATRIUM_CLI_NO_SUCH_LINE',
  message: ({ file, line, lineCount }: { file: string; line: number; lineCount: number }) =>
    lineCount === 0
      ? `${file} is empty, so there is no line ${line} to explain. Ask about the file itself instead.`
      : `${file} has no line ${line}. Ask for one from 1 to ${lineCount}.`,
  means: 'A file does not have the line that was asked for; `lineCount` says how many it has.',
  remedy: 'Ask for a line that is there, or for the file.',
}) {}

export class SnapshotsMissingError extends defineError({
  code: 'ATRIUM_SNAPSHOT_MISSING',
  message: ({ dir }: { dir: string }) =>
    `There are no snapshots in ${dir}. Write them with "atrium context check --update", and commit the folder.`,
  means: 'There are no snapshots to compare with.',
  remedy: 'Write them with `atrium context check --update`, and commit the folder.',
}) {}

export class SituationsInvalidError extends defineError({
  code: 'ATRIUM_SNAPSHOT_SITUATIONS',
  message: ({ file, problem }: { file: string; problem: string }) =>
    `${file}: ${problem}. Correct the file and try again.`,
  means: 'The list of situations cannot be used; `problem` says why.',
  remedy: 'Correct `situations.json`.',
}) {}

export class UnknownSituationError extends defineError({
  code: 'ATRIUM_SNAPSHOT_UNKNOWN_SITUATION',
  message: ({
    situation,
    known,
    suggestion,
  }: {
    situation: string;
    known: readonly string[];
    suggestion: string | undefined;
  }) =>
    `There is no situation "${situation}". ${suggestion ? `Did you mean "${suggestion}"?` : `Known situations: ${known.join(', ')}.`}`,
  means: 'No situation has this name; `known` lists those that there are.',
  remedy: 'Use a name from `situations.json`, or add the situation there.',
}) {}

export class SnapshotUnusableError extends defineError({
  code: 'ATRIUM_SNAPSHOT_UNUSABLE',
  message: ({ path, doing, detail }: { path: string; doing: 'read' | 'written'; detail: string }) =>
    `The snapshot ${path} cannot be ${doing} (${detail}). Check the folder and its permissions, or name another one with --dir.`,
  means: 'A file of the folder cannot be read or written.',
  remedy: 'Check the folder and its permissions, or name another with `--dir`.',
}) {}

export class GatewayDownError extends defineError({
  code: 'ATRIUM_CLI_GATEWAY_DOWN',
  message: ({
    stateDir,
    detail,
    stray,
  }: {
    stateDir: string;
    detail: string;
    stray?: { readonly url: string; readonly pid?: number | undefined; readonly problem: string } | undefined;
  }) =>
    stray === undefined
      ? `No gateway is running on ${stateDir} (${detail}). Start one with "atrium start" and try again.`
      : `No gateway owns ${stateDir}, but one that did still runs at ${stray.url}${stray.pid === undefined ? '' : ` (process ${stray.pid})`} and accepts nothing more. It says: ${stray.problem}`,
  means:
    'A command needs a running gateway and there is none; `detail` says how that was seen. With `stray`, one still runs whose state directory, or the lock in it, was removed or replaced.',
  remedy:
    'Start one with `atrium start`. Stop one that has lost its state directory first, or put back what was there.',
}) {}

export class GatewayFrozenError extends defineError({
  code: 'ATRIUM_CLI_GATEWAY_FROZEN',
  message: ({ url, pid, state }: { url: string; pid?: number | undefined; state: 'stopped' | 'unknown' }) =>
    `The gateway at ${url} runs${pid === undefined ? '' : ` (process ${pid})`} and does not answer: ${
      state === 'stopped'
        ? `its process was stopped. Let it go on with "kill -CONT ${pid}".`
        : `it is busy or hangs. See its log; a gateway that stays so can be killed and started again, and nothing that it accepted is lost.`
    }`,
  means: 'A gateway owns the state directory and does not answer: its process was stopped, or it spins.',
  remedy:
    'Let a stopped process go on with `kill -CONT`. Kill one that hangs and start it again; nothing that it accepted is lost.',
}) {}

export class GatewayTokenGoneError extends defineError({
  code: 'ATRIUM_CLI_GATEWAY_TOKEN_GONE',
  message: ({ url, pid, file }: { url: string; pid?: number | undefined; file: string }) =>
    `The gateway at ${url} runs${pid === undefined ? '' : ` (process ${pid})`}, but its token is gone: ${file} is not there. Put the file back, or stop the gateway and start it again, which makes a new one.`,
  means: 'A gateway owns the state directory, and the file with the token that it made was removed or moved.',
  remedy: 'Put the file back, or stop the gateway and start it again.',
}) {}

export class GatewayTokenOtherError extends defineError({
  code: 'ATRIUM_CLI_GATEWAY_TOKEN_OTHER',
  message: ({ url, pid, sentence }: { url: string; pid?: number | undefined; sentence: string }) =>
    `The gateway at ${url} runs${pid === undefined ? '' : ` (process ${pid})`} and refuses the token that this command found. ${sentence} Start the gateway again to give it the new one.`,
  means: 'The token was changed in the configuration, the environment or its file after the gateway was started.',
  remedy: 'Start the gateway again, or take the change back.',
}) {}

export class GatewayTokenChangedError extends defineError({
  code: 'ATRIUM_CLI_GATEWAY_TOKEN_CHANGED',
  message:
    'The gateway was started again and has another token now. If its token comes from OPENCLAW_GATEWAY_TOKEN, set the same one in this terminal; then open the chat again.',
  means: 'A chat wanted to reconnect, and the gateway refused the token that this terminal knows.',
  remedy: 'Give the terminal the token of the gateway and open the chat again.',
}) {}

export class GatewayRefusedError extends defineError({
  code: 'ATRIUM_CLI_GATEWAY_REFUSED',
  message: ({ sentence }: { httpStatus: number; refusal: string; sentence: string }) => sentence,
  means: 'The gateway answered a command with an error; `refusal` is its code.',
  remedy: 'Do what the message says.',
}) {}

export class GatewayGoneError extends defineError({
  code: 'ATRIUM_CLI_GATEWAY_GONE',
  message: ({ detail }: { detail: string }) =>
    `The connection to the gateway is gone (${detail}). Start it again with "atrium start"; nothing that it accepted is lost.`,
  means: 'A terminal lost its connection to the gateway, and the gateway does not come back.',
  remedy: 'Start it again; nothing that it accepted is lost.',
}) {}

export class UnknownMcpServerError extends defineError({
  code: 'ATRIUM_MCP_UNKNOWN',
  message: ({ server, meant }: { server: string; meant: string | undefined }) =>
    `There is no usable MCP server ${JSON.stringify(server)}.${meant === undefined ? '' : ` Did you mean "${meant}"?`} "atrium mcp list" shows the servers, and "atrium config check" says what is wrong with one.`,
  means: 'No usable server of this name is configured.',
  remedy: 'Look at `atrium mcp list` and `atrium config check`.',
}) {}

export class PluginCliError extends defineError({
  code: 'ATRIUM_PLUGIN_CLI_FAILED',
  message: ({ pluginId, command, detail }: { pluginId: string; command: string; detail: string }) =>
    `The command "${command}" of the plugin "${pluginId}" failed: ${detail}`,
  means: 'A command that a plugin brings to the command line threw or could not be added.',
  remedy: 'Ask the author of the plugin, or disable it.',
}) {}

export class InstallBlockedError extends defineError({
  code: 'ATRIUM_INSTALL_BLOCKED',
  message: ({ target, by, reason }: { target: string; by: string; reason: string }) =>
    `"${target}" was not installed, because the before_install handler of "${by}" refused it: ${reason}. If the refusal is wrong, change or disable that plugin and try again.`,
  means: 'A plugin refused the installation in `before_install`, or failed while it was asked.',
  remedy: 'Read the reason; change or disable that plugin if it is wrong.',
}) {}

export class InstallUncheckedError extends defineError({
  code: 'ATRIUM_INSTALL_UNCHECKED',
  message: ({ target, detail }: { target: string; detail: string }) =>
    `"${target}" was not installed, because the before_install handlers could not be asked: ${detail} Solve that problem, or stop the gateway, and try again.`,
  means: 'The plugins that decide about installations could not be asked. Without their answer nothing is installed.',
  remedy: 'Solve the problem that the message names and try again.',
}) {}

export class InstallUnconfirmedError extends defineError({
  code: 'ATRIUM_INSTALL_UNCONFIRMED',
  message: ({ target }: { target: string }) =>
    `"${target}" was not installed, because there is no terminal at which you could be asked. Read what is shown above, then run the command again with --yes.`,
  means: 'There is no terminal to ask at, and `--yes` was not given.',
  remedy: 'Read what is shown, then use `--yes`.',
}) {}

export class UnknownPlatformError extends defineError({
  code: 'ATRIUM_CHANNEL_PLATFORM_UNKNOWN',
  message: ({
    platform,
    known,
    suggestion,
  }: {
    platform: string;
    known: readonly string[];
    suggestion: string | undefined;
  }) =>
    `There is no channel "${platform}". ${suggestion ? `Did you mean "${suggestion}"?` : `Atrium has ${known.join(', ')}.`}`,
  means: 'The command names a chat platform that Atrium does not speak to.',
  remedy: 'Use one of the names in the message.',
}) {}

export class ChannelAccountUnknownError extends defineError({
  code: 'ATRIUM_CHANNEL_ACCOUNT_UNKNOWN',
  message: ({ platform, account, known }: { platform: string; account: string; known: readonly string[] }) =>
    known.length === 0
      ? `${platform} has no account in the configuration. Add one with: atrium channels add ${platform}`
      : `${platform} has no account "${account}". It has ${known.join(', ')}.`,
  means: 'The command names an account that the configuration does not have.',
  remedy: 'Use one of the accounts in the message, or add one with `atrium channels add`.',
}) {}

export class ChannelAccountExistsError extends defineError({
  code: 'ATRIUM_CHANNEL_ACCOUNT_EXISTS',
  message: ({ platform, account }: { platform: string; account: string }) =>
    `${platform} has the account "${account}" already. Give it a new token with: atrium channels login ${platform}${account === 'default' ? '' : ` --account ${account}`}`,
  means: '`atrium channels add` was called for an account that the configuration has.',
  remedy: 'Choose another name with `--account`, or use `atrium channels login`.',
}) {}

export class ChannelTokenError extends defineError({
  code: 'ATRIUM_CHANNEL_TOKEN_UNUSABLE',
  message: ({ key, problem }: { key: string; problem: string }) => `The ${key} cannot be used: ${problem}`,
  means: 'A token is missing, does not have the form of such a token, or was refused by the platform.',
  remedy: 'Copy the token again from where the message says. Nothing was written.',
}) {}

export class BundledRunUnknownError extends defineError({
  code: 'ATRIUM_BUNDLE_RUN_UNKNOWN',
  message: ({ run }: { run: string }) =>
    `The bundle has no run ${JSON.stringify(run)}. "atrium trajectory open" without --run lists those that it has.`,
  means: 'A bundle has no run of this id.',
  remedy: 'List its runs with `atrium trajectory open BUNDLE`.',
}) {}

export class BundledRunUnreadableError extends defineError({
  code: 'ATRIUM_BUNDLE_RUN_UNREADABLE',
  message: ({ run, file }: { run: string; file: string }) =>
    `Run ${run} cannot be shown: ${file} is missing, was changed, or does not describe a run. Export the session again.`,
  means: 'The description of a run in a bundle is missing, was changed, or is none.',
  remedy: 'Export the session again, or copy the bundle again.',
}) {}

export class ModelNotWrittenError extends defineError({
  code: 'ATRIUM_CLI_MODEL_UNKNOWN',
  message: ({ problem }: { problem: string }) =>
    `${problem} Nothing was written; with --force the name is written all the same.`,
  means: 'Neither the configuration, nor the catalog, nor the list that the provider gave has this model.',
  remedy: 'Use the name that the message suggests, ask the provider with `atrium models refresh`, or use `--force`.',
}) {}

export class MissingSettingValueError extends defineError({
  code: 'ATRIUM_CLI_SETTING_VALUE_MISSING',
  message: ({ setting }: { setting: string }) =>
    `There is no value for ${setting}. Write it behind the name, or type it when you are asked.`,
  means: 'A command that changes a setting was given no value.',
  remedy: 'Write the value behind the name of the setting.',
}) {}

export class EditGivenUpError extends defineError({
  code: 'ATRIUM_CLI_EDIT_GIVEN_UP',
  message: ({ file, draft }: { file: string; draft: string }) =>
    `${file} is unchanged, because a gateway could not use what you wrote. Your text is in ${draft}, and the next "atrium config edit" offers to go on with it.`,
  means: 'The edited configuration could not be used, and it was not edited again.',
  remedy: 'Run `atrium config edit` again, which offers to go on with the draft, or delete the draft.',
}) {}

export class EditorFailedError extends defineError({
  code: 'ATRIUM_CLI_EDITOR_FAILED',
  message: ({ editor, outcome }: { editor: string; outcome: string }) =>
    `The editor "${editor}" ended with ${outcome}, so nothing was changed. Set VISUAL or EDITOR to the one that you use.`,
  means: 'The editor could not be started, or ended with an error.',
  remedy: 'Set the variable `VISUAL` or `EDITOR` to an editor that works here.',
}) {}

export class EditNeedsTerminalError extends defineError({
  code: 'ATRIUM_CLI_EDIT_NO_TERMINAL',
  message:
    'There is no terminal to edit in, so nothing was changed. "atrium config set NAME VALUE" changes a setting, or set VISUAL or EDITOR to a program that needs none.',
  means: '`atrium config edit` has no editor of yours, and its input or output is no terminal for `vi`.',
  remedy: 'Run it in a terminal, set the variable `VISUAL` or `EDITOR`, or use `atrium config set`.',
}) {}

export class GatewayNotStoppedError extends defineError({
  code: 'ATRIUM_CLI_GATEWAY_NOT_STOPPED',
  message: ({ pid, seconds, isRestart }: { pid: number; seconds: number; isRestart?: boolean }) =>
    isRestart
      ? `The gateway (process ${pid}) was not ready again after ${seconds} seconds. It may still be finishing what is running; see its log.`
      : `The gateway (process ${pid}) has not stopped after ${seconds} seconds. It goes on finishing what is running; "atrium stop --now" does not wait for that.`,
  means: 'The gateway was told to stop or to start again, and that took longer than the command waits.',
  remedy: 'Wait longer with `--timeout`, or use `atrium stop --now`; nothing is lost.',
}) {}

export class GatewaySignalError extends defineError({
  code: 'ATRIUM_CLI_GATEWAY_SIGNAL',
  message: ({ pid, detail }: { pid: number; detail: string }) =>
    `The gateway (process ${pid}) could not be told to stop (${detail}). It belongs to another user; stop it as that user.`,
  means: 'The system did not let this user send a signal to the process of the gateway.',
  remedy: 'Run the command as the user that the gateway runs as.',
}) {}

export class UnknownDocumentError extends defineError({
  code: 'ATRIUM_CLI_DOCUMENT_UNKNOWN',
  message: ({ topic, suggestion }: { topic: string; suggestion: string | undefined }) =>
    `There is no document ${JSON.stringify(topic)}. ${
      suggestion ? `Did you mean "atrium docs ${suggestion}"?` : '"atrium docs" lists those that there are.'
    }`,
  means: 'No document has this topic.',
  remedy: 'Use a topic that `atrium docs` lists.',
}) {}

export class NoVersionError extends defineError({
  code: 'ATRIUM_CLI_UPDATE_NO_VERSION',
  message: ({ answer }: { answer: string }) =>
    `The registry named no version of atrium; it answered ${JSON.stringify(answer)}. Look at "npm config get registry".`,
  means: 'The registry that npm uses answered, and its answer has no newest version of Atrium.',
  remedy: 'Look at the registry that npm uses (`npm config get registry`), or update by hand.',
}) {}

export class ServiceProgramMissingError extends defineError({
  code: 'ATRIUM_CLI_SERVICE_NO_PROGRAM',
  message: ({ file }: { file: string }) =>
    `There is no built program at ${file}, so a service would have nothing to run. Run "npm run build" in that folder first.`,
  means: 'Atrium runs from its sources, and there is no build that a service could start.',
  remedy: 'Build it with `npm run build`.',
}) {}

export class NoServiceManagerError extends defineError({
  code: 'ATRIUM_CLI_SERVICE_NO_MANAGER',
  message: ({ system }: { system: string }) =>
    `On ${system} Atrium knows no service manager; it knows systemd and launchd. Start "atrium start" with what your system has.`,
  means: 'The system has neither systemd nor launchd.',
  remedy: 'Let the service manager of the system run `atrium start`.',
}) {}

export class ForeignServiceError extends defineError({
  code: 'ATRIUM_CLI_SERVICE_FOREIGN',
  message: ({ file }: { file: string }) =>
    `${file} was not written by "atrium service install", so it is left alone. Move it away if you want another service.`,
  means: 'A file of that name exists, and Atrium did not write it.',
  remedy: 'Move the file away, or keep it and do not use this command.',
}) {}

export class ServiceCallError extends defineError({
  code: 'ATRIUM_CLI_SERVICE_NOT_STARTED',
  message: ({ file, call, problem }: { file: string; call: string; problem: string }) =>
    `${file} is written, but "${call}" failed: ${problem}. Run it yourself when the service manager is there, or take the file away with "atrium service uninstall".`,
  means: 'The file of the service was written, and the service manager did not take it.',
  remedy: 'Run the command that the message names by hand, as the user whose service it is.',
}) {}

export class OnboardCancelledError extends defineError({
  code: 'ATRIUM_CLI_ONBOARD_CANCELLED',
  message: 'Nothing was written. "atrium onboard" asks again, and "atrium start" works without it.',
  means: 'Onboarding was left before its last answer.',
  remedy: 'Run `atrium onboard` again, or start without it.',
}) {}

export class OnboardNeedsTerminalError extends defineError({
  code: 'ATRIUM_CLI_ONBOARD_NO_TERMINAL',
  message:
    'There is no terminal to ask in. Use --yes with a flag for each answer, such as: atrium onboard --yes --model anthropic/claude-sonnet-4-6 --name Ada',
  means: '`atrium onboard` wants to ask questions, and its input or output is no terminal.',
  remedy: 'Run it in a terminal, or with `--yes` and flags.',
}) {}

export class OnboardModelError extends defineError({
  code: 'ATRIUM_CLI_ONBOARD_MODEL',
  message: ({ model, problem }: { model: string; problem: string }) =>
    `${model} did not answer, so nothing was written: ${problem} With --no-test it is not asked.`,
  means: 'The model that onboarding was told to use did not answer its question.',
  remedy: 'Correct the model, its address or its key, or use `--no-test`.',
}) {}
