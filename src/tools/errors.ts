// The errors that tools raises, one row each. docs/errors.md is made from these rows.

import { defineError } from '../protocol/errors.ts';

export class ToolInputError extends defineError({
  code: 'ATRIUM_TOOL_INPUT',
  message: ({ tool, problems }: { tool: string; problems: readonly string[] }) =>
    `The parameters of ${tool} cannot be used. ${problems.join(' ')}`,
  means: 'A model called a tool with parameters that make no sense; `problems` says which.',
  remedy: 'The model calls again with what the message asks for.',
}) {}

export class ToolSchemaError extends defineError({
  code: 'ATRIUM_TOOL_SCHEMA',
  message: ({ tool, problem }: { tool: string; problem: string }) =>
    `${tool} was not called, because the JSON Schema of its parameters cannot be used: ${problem}.`,
  means:
    "The JSON Schema that a plugin or an MCP server gives for a tool's parameters cannot be read, or checking against it takes too long. The tool was not called.",
  remedy: 'Tell the author of the tool; `problem` says what is wrong with the schema.',
}) {}

export class ToolRefusedError extends defineError({
  code: 'ATRIUM_TOOL_REFUSED',
  message: ({ reason }: { reason: string }) => reason,
  means:
    'The configuration asks for a protection that Atrium does not have, such as a sandbox, and the tool would run without it.',
  remedy: 'Take the setting back, or name it in `acceptUnused` when the machine of the gateway is meant.',
}) {}

export class ToolPathError extends defineError({
  code: 'ATRIUM_TOOL_PATH',
  message: ({ path, problem }: { path: string; problem: string }) =>
    `${JSON.stringify(path)} is refused: ${problem}. Use the path of a file inside the workspace.`,
  means: 'A path leads out of the workspace, once links are followed, or is no path at all. Nothing was opened.',
  remedy: 'Use a path inside the workspace, or copy the file there.',
}) {}

/** The words are the same for the memory tools, which answer with them, and for the file tools, which fail with them. */
export function describeWithheld({ what, because }: { what: string; because: string }): string {
  return `${what} is withheld here, because ${because}. Answer without it, and do not look for it another way.`;
}

export class ToolFileWithheldError extends defineError({
  code: 'ATRIUM_TOOL_FILE_WITHHELD',
  message: describeWithheld,
  means:
    'A file tool was asked for a file that is kept from surfaces which several people read (MEMORY.md, `memory/`, or what `bootstrap.sharedSurfaces.withhold` names), or from subagents (MEMORY.md, `memory/` and all bootstrap files that `bootstrap.subagentFiles` does not name). Nothing was opened.',
  remedy:
    'Ask in a private conversation, not through a subagent, or let `bootstrap.sharedSurfaces.withhold` and `bootstrap.subagentFiles` name other files.',
}) {}

export class ToolFileMissingError extends defineError({
  code: 'ATRIUM_TOOL_FILE_MISSING',
  message: ({ path }: { path: string }) =>
    `There is no file ${JSON.stringify(path)}. Check the path; it is relative to the workspace.`,
  means: 'The file that a tool was asked for is not there.',
  remedy: 'Check the path, which is relative to the workspace.',
}) {}

export class ToolFileUnusableError extends defineError({
  code: 'ATRIUM_TOOL_FILE_UNUSABLE',
  message: ({ path, problem }: { path: string; problem: string }) =>
    `${JSON.stringify(path)} cannot be used: ${problem}.`,
  means: 'The file exists, but it is a directory, binary, too large, read-only or otherwise not usable by tools.',
  remedy: 'Correct what the message names, or choose another file.',
}) {}

export class ToolFileChangedError extends defineError({
  code: 'ATRIUM_TOOL_FILE_CHANGED',
  message: ({ path }: { path: string }) =>
    `${JSON.stringify(path)} was changed in the meantime, so it was not written. Read it again, then retry.`,
  means: 'The file was changed between the reading and the writing of one edit; that change was kept.',
  remedy: 'Read the file again, and repeat the edit.',
}) {}

export class ToolEditMatchError extends defineError({
  code: 'ATRIUM_TOOL_EDIT_MATCH',
  message: ({ path, matches }: { path: string; matches: number }) =>
    matches === 0
      ? `oldText does not occur in ${JSON.stringify(path)}. It must match exactly, blanks and line ends included; read the file again.`
      : `oldText occurs ${matches} times in ${JSON.stringify(path)}. Give more of the text around it so that it occurs once, or set replaceAll to true.`,
  means: 'The text to replace occurs not at all, or more than once; `matches` says how often.',
  remedy: 'Give the exact text with more around it, or set `replaceAll`.',
}) {}

export class ToolSessionUnknownError extends defineError({
  code: 'ATRIUM_TOOL_SESSION_UNKNOWN',
  message: ({ session }: { session: string }) =>
    `This agent has no session ${JSON.stringify(session)} that this session can see. Use a key that sessions_list shows.`,
  means: 'A session tool was asked for a session that its agent does not have.',
  remedy: 'Use a key from `sessions_list`.',
}) {}

export class UnknownApprovalError extends defineError({
  code: 'ATRIUM_APPROVAL_UNKNOWN',
  status: 404,
  message: ({ approvalId }: { approvalId: string }) =>
    `There is no approval ${JSON.stringify(approvalId)}. "atrium approvals list" shows what waits.`,
  means: 'There is no approval of this name.',
  remedy: 'Look it up with `atrium approvals list`.',
}) {}

export class ApprovalAnsweredError extends defineError({
  code: 'ATRIUM_APPROVAL_ANSWERED',
  status: 409,
  message: ({ approvalId, decision }: { approvalId: string; decision: string }) =>
    `The approval ${approvalId} is not waiting any more (${decision}); nothing was changed.`,
  means: 'The approval was answered already, or its time was over; `decision` says what was decided.',
  remedy: 'Nothing; the first answer counts.',
}) {}

export class DecisionNotAllowedError extends defineError({
  code: 'ATRIUM_APPROVAL_DECISION',
  status: 400,
  message: ({ approvalId, decision, allowed }: { approvalId: string; decision: string; allowed: readonly string[] }) =>
    `The approval ${approvalId} cannot be answered with ${JSON.stringify(decision)}: choose ${allowed.join(', ')}.`,
  means: 'This approval does not offer the decision; `allowed` lists those that it does.',
  remedy: 'Answer with one of them.',
}) {}

export class WebUrlError extends defineError({
  code: 'ATRIUM_WEB_URL',
  message: ({ url, problem }: { url: string; problem: string }) =>
    `${JSON.stringify(url.slice(0, 200))} cannot be fetched: ${problem}.`,
  means: '`web_fetch` was given something other than a plain http or https address, or was redirected to it.',
  remedy: 'Use an http or https address without a name and password in it.',
}) {}

/** The addresses themselves are not told: a conversation must not reveal what a private network looks like. */
export class WebAddressError extends defineError({
  code: 'ATRIUM_WEB_ADDRESS',
  message: ({ host }: { host: string }) =>
    `${JSON.stringify(host.slice(0, 200))} is refused: it leads to an address that is not on the public internet. The operator can allow it by adding the host to tools.web.fetch.allowHosts.`,
  means:
    'The host leads to this machine, to a private network or to another address that is not public. Nothing was connected to.',
  remedy: 'Name the host in `tools.web.fetch.allowHosts` if agents may fetch it.',
}) {}

export class WebFetchError extends defineError({
  code: 'ATRIUM_WEB_FETCH',
  message: ({ url, problem }: { url: string; problem: string }) =>
    `${JSON.stringify(url.slice(0, 200))} could not be fetched: ${problem}.`,
  means: 'The page did not come: no such host, no connection, a bad certificate, too many redirects, too slow.',
  remedy: 'Check the address, or try again later.',
}) {}

export class PatchSyntaxError extends defineError({
  code: 'ATRIUM_PATCH_SYNTAX',
  message: ({ line, problem }: { line: number; problem: string }) =>
    `Line ${line} of the patch cannot be used: ${problem}. Nothing was changed.`,
  means: 'The text given to `apply_patch` is no patch; `line` says where it stops being one. Nothing was changed.',
  remedy: 'The model writes the patch again.',
}) {}

export class PatchMatchError extends defineError({
  code: 'ATRIUM_PATCH_MATCH',
  message: ({
    path,
    line,
    problem,
  }: {
    path: string /** Where the hunk begins in the patch. */;
    line: number;
    problem: string;
  }) =>
    `The hunk at line ${line} of the patch does not fit ${JSON.stringify(path)}: ${problem}. Nothing was changed; read the file again and write a new hunk.`,
  means: 'A hunk fits the file nowhere, or in several places. Nothing was changed.',
  remedy: 'Read the file again, and give the hunk more lines around the change.',
}) {}

export class PatchUndoError extends defineError({
  code: 'ATRIUM_PATCH_UNDO',
  message: ({ paths, problem }: { paths: readonly string[]; problem: string }) =>
    `The patch failed half-way (${problem}), and these files could not be put back: ${paths.map((path) => JSON.stringify(path)).join(', ')}. Read them before anything else.`,
  means:
    'A patch failed while it was being written, for example because the disk was full, and the files in `paths` could not be restored.',
  remedy: 'Look at these files, and restore them.',
}) {}

export class McpStartTimeoutError extends defineError({
  code: 'ATRIUM_MCP_START_TIMEOUT',
  message: ({ server, seconds }: { server: string; seconds: number }) =>
    `The MCP server ${JSON.stringify(server)} was not ready after ${seconds} s. If it needs longer, raise mcp.servers.<name>.startSeconds.`,
  means: 'A server was not ready in its time. Runs go on without it.',
  remedy: 'Raise `startSeconds`, or see what it waits for with `atrium mcp test NAME`.',
}) {}

export class McpServerDownError extends defineError({
  code: 'ATRIUM_MCP_DOWN',
  message: ({ server, reason, seconds }: { server: string; reason: string; seconds: number }) =>
    `The MCP server ${JSON.stringify(server)} is down and is started again in ${seconds} s at the earliest; the call was not made. ${reason}`,
  means: 'A tool was called while its server is down and not yet started again. The call was not made.',
  remedy: 'Wait `seconds`, or repair the server.',
}) {}

export class McpNotReachedError extends defineError({
  code: 'ATRIUM_MCP_NOT_REACHED',
  message: ({ server, reason }: { server: string; reason: string }) =>
    `The MCP server ${JSON.stringify(server)} did not take the call (${reason}), so the call had no effect. Call again in a moment.`,
  means: 'The server did not take the call, which had no effect.',
  remedy: 'Call again.',
}) {}

export class McpCallLostError extends defineError({
  code: 'ATRIUM_MCP_CALL_LOST',
  message: ({ server, tool, reason }: { server: string; tool: string; reason: string }) =>
    `The MCP server ${JSON.stringify(server)} went away before it answered the call of ${JSON.stringify(tool)}: ${reason}. The call was not repeated, and whether it took effect is unknown. Look before you repeat it.`,
  means: 'The server went away in the middle of a call. It is not repeated; its effect is unknown.',
  remedy: 'Look whether it took effect before you repeat it.',
}) {}

export class McpCallTimeoutError extends defineError({
  code: 'ATRIUM_MCP_CALL_TIMEOUT',
  message: ({ server, tool, seconds }: { server: string; tool: string; seconds: number }) =>
    `The MCP server ${JSON.stringify(server)} did not answer the call of ${JSON.stringify(tool)} within ${seconds} s; it was told to stop, and what it had done by then is not known.`,
  means: "A call took longer than the server's `timeoutSeconds` and was cancelled; its effect is unknown.",
  remedy: 'Raise `timeoutSeconds` for slow tools.',
}) {}

export class McpAnswerError extends defineError({
  code: 'ATRIUM_MCP_REFUSED',
  message: ({ server, reason }: { server: string; reason: string }) =>
    `The MCP server ${JSON.stringify(server)} refused the call: ${reason}.`,
  means: 'The server answered the call with an error of the protocol; `reason` has its words.',
  remedy: 'Correct the call.',
}) {}

export class ToolSendForbiddenError extends defineError({
  code: 'ATRIUM_TOOL_SEND_FORBIDDEN',
  message:
    'Sessions may not reach each other here. The operator can allow it within one agent by setting tools.sessions.visibility to "agent".',
  means: '`sessions_send` was called where sessions see themselves only.',
  remedy: 'Set `tools.sessions.visibility` to `agent` if the sessions of an agent may reach each other.',
}) {}

export class ToolSendToSelfError extends defineError({
  code: 'ATRIUM_TOOL_SEND_TO_SELF',
  message: ({ sessionKey }: { sessionKey: string }) =>
    `${JSON.stringify(sessionKey)} is this session, which cannot send to itself. Answer instead.`,
  means: 'A session tried to send to itself.',
  remedy: 'Nothing; the model is told to answer instead.',
}) {}

/** `path` holds the keys of the sessions that passed the message on; the sending session is the last. */
export class ToolSendCycleError extends defineError({
  code: 'ATRIUM_TOOL_SEND_CYCLE',
  message: ({ sessionKey }: { sessionKey: string; path: readonly string[] }) =>
    `The session ${JSON.stringify(sessionKey)} is waiting for an answer to this message itself, so it would wait for its own answer. Answer instead: your answer goes back to the session that asked.`,
  means:
    'A session tried to send to one that waits for its answer; `path` names the sessions that passed the message on.',
  remedy: 'Nothing; the model is told to answer instead.',
}) {}

export class ToolSendTooFarError extends defineError({
  code: 'ATRIUM_TOOL_SEND_TOO_FAR',
  message: ({ limit }: { path: readonly string[]; limit: number }) =>
    `This message has been passed on ${limit} times, which is the limit. Answer with what you know.`,
  means: 'A message was passed on from session to session more often than `limit` allows.',
  remedy: 'Nothing; the model is told to answer with what it knows.',
}) {}

export class ToolSendNowhereError extends defineError({
  code: 'ATRIUM_TOOL_SEND_NOWHERE',
  message: ({ sessionKey }: { sessionKey: string }) =>
    `The session ${JSON.stringify(sessionKey)} has no surface to answer on: it was deleted, or no message has arrived there yet. Send to another session.`,
  means: 'The session has no surface to answer on, because it was deleted or no message has arrived there yet.',
  remedy: 'Send to another session.',
}) {}

/** What exists, as the end of a sentence; nothing when there is none. */
function listed(what: string, names: readonly string[]): string {
  return names.length === 0 ? '' : ` ${what}: ${names.join(', ')}.`;
}

export class MessageTargetMissingError extends defineError({
  code: 'ATRIUM_TOOL_MESSAGE_TARGET_MISSING',
  message: ({ channels }: { channels: readonly string[] }) =>
    `This session has no conversation of its own there, so name one with "target".${listed('Channels that exist', channels)}`,
  means: 'The message tool was called without a target in a session that has no conversation of its own.',
  remedy: 'Nothing; the model calls again with a target.',
}) {}

export class MessageChannelMissingError extends defineError({
  code: 'ATRIUM_TOOL_MESSAGE_CHANNEL_MISSING',
  message: ({ channels }: { channels: readonly string[] }) =>
    `This session belongs to no channel, so name one with "channel" besides the target.${listed('Channels that exist', channels)}`,
  means: 'The message tool was called with a target but without a channel, in a session that belongs to none.',
  remedy: 'Nothing; the model calls again with a channel.',
}) {}

export class MessageThreadsMissingError extends defineError({
  code: 'ATRIUM_TOOL_MESSAGE_THREADS_MISSING',
  message: ({ channel }: { channel: string }) =>
    `The channel ${channel} has no threads, so leave out "threadId". Nothing was done.`,
  means: 'The message tool was called for a thread on a channel that has no threads.',
  remedy: 'Nothing; the model calls again without the thread.',
}) {}

export class MessageChannelUnknownError extends defineError({
  code: 'ATRIUM_TOOL_MESSAGE_CHANNEL_UNKNOWN',
  message: ({ channel, channels }: { channel: string; channels: readonly string[] }) =>
    `There is no channel ${JSON.stringify(channel)}.${listed('Channels that exist', channels)}`,
  means: 'The message tool was called for a channel that does not exist, or whose messages are not read by people.',
  remedy: 'Nothing; the model calls again with a channel that exists.',
}) {}

export class MessageAccountUnknownError extends defineError({
  code: 'ATRIUM_TOOL_MESSAGE_ACCOUNT_UNKNOWN',
  message: ({ accountId, channel, accounts }: { accountId: string; channel: string; accounts: readonly string[] }) =>
    `The channel ${channel} has no account ${JSON.stringify(accountId)}.${listed('Accounts', accounts)}`,
  means: 'The message tool was called for an account that the channel does not have.',
  remedy: 'Nothing; the model calls again with an account that exists.',
}) {}

export class MessageTargetUnknownError extends defineError({
  code: 'ATRIUM_TOOL_MESSAGE_TARGET_UNKNOWN',
  message: ({ target, channel, known }: { target: string; channel: string; known: readonly string[] }) =>
    `${JSON.stringify(target)} is not known on ${channel}.${listed('Some that are known', known) || ' No conversation is known there yet.'}`,
  means: 'The message tool was called for a conversation that the channel does not know.',
  remedy: 'Nothing; the model calls again with one that exists.',
}) {}

export class MessageActionUnknownError extends defineError({
  code: 'ATRIUM_TOOL_MESSAGE_ACTION_UNKNOWN',
  message: ({ action, channel, actions }: { action: string; channel: string; actions: readonly string[] }) =>
    `The channel ${channel} cannot do ${JSON.stringify(action)}.${listed('It can do', actions)}`,
  means: 'The message tool was called for an action that the channel does not declare.',
  remedy: 'Nothing; the model chooses another action.',
}) {}

export class MessageActionForbiddenError extends defineError({
  code: 'ATRIUM_TOOL_MESSAGE_ACTION_FORBIDDEN',
  message: ({ action, actions }: { action: string; actions: readonly string[] }) =>
    `The operator does not allow ${JSON.stringify(action)} here.${listed('Allowed', actions)}`,
  means: 'The message tool was called for an action that `tools.message.actions.allow` does not name.',
  remedy: 'Add the action to `tools.message.actions.allow` if the agent may do it.',
}) {}

export class MessageCrossContextError extends defineError({
  code: 'ATRIUM_TOOL_MESSAGE_CROSS_CONTEXT',
  message: ({ from, to }: { from: string; to: string }) =>
    from === to
      ? `This conversation may not reach another one on ${to}. The operator can allow it with tools.message.crossContext.allowWithinProvider.`
      : `A conversation on ${from} may not reach one on ${to}. The operator can allow it with tools.message.crossContext.allowAcrossProviders.`,
  means: 'The message tool was called for another conversation than its own, and the operator has not allowed that.',
  remedy:
    'Set `tools.message.crossContext.allowWithinProvider` or `tools.message.crossContext.allowAcrossProviders` if agents may do it.',
}) {}

export class MessageReadForbiddenError extends defineError({
  code: 'ATRIUM_TOOL_MESSAGE_READ_FORBIDDEN',
  message:
    'Only this conversation can be read here. The operator can allow an agent to read its other conversations by setting tools.sessions.visibility to "agent".',
  means: 'The message tool was to read a conversation whose session the asking session may not see.',
  remedy: 'Set `tools.sessions.visibility` to `agent` if the sessions of an agent may see each other.',
}) {}

export class MessageNotOwnError extends defineError({
  code: 'ATRIUM_TOOL_MESSAGE_NOT_OWN',
  message: ({ messageId }: { messageId: string }) =>
    `The message ${JSON.stringify(messageId.slice(0, 100))} was not sent there by an agent of this gateway, so it is left as it is.`,
  means: 'The message tool was to change or delete a message that no agent of this gateway has sent.',
  remedy: 'Nothing; agents change their own messages only.',
}) {}

export class MessageStoppedError extends defineError({
  code: 'ATRIUM_TOOL_MESSAGE_STOPPED',
  message: ({ by, reason }: { by: string; reason: string }) =>
    `It was not sent: ${by} stopped it (${reason}). Do not try to get around that.`,
  means: 'A handler of the outgoing hooks stopped what the message tool was to send.',
  remedy: 'Look at the plugin that is named.',
}) {}

export class MessageActionFailedError extends defineError({
  code: 'ATRIUM_TOOL_MESSAGE_FAILED',
  message: ({ action, reason, isPassing }: { action: string; reason: string; isPassing: boolean }) =>
    `The action ${action} was not done: ${reason}. ${isPassing ? 'It may work later.' : 'Trying the same again will not help.'}`,
  means: 'The platform refused what the message tool was to do, or could not be reached.',
  remedy: 'The reason says what is wrong.',
}) {}

export class ToolNothingToAwaitError extends defineError({
  code: 'ATRIUM_TOOL_NOTHING_TO_AWAIT',
  message: () =>
    'There is no subagent of this session whose result is still to come. Spawn one with sessions_spawn first.',
  means: '`sessions_wait` was called without names in a session that is owed no result.',
  remedy: 'Spawn a subagent first, or go on without waiting.',
}) {}

export class ToolChildUnknownError extends defineError({
  code: 'ATRIUM_TOOL_CHILD_UNKNOWN',
  message: ({ child, known }: { child: string; known: readonly string[] }) =>
    `This session has no subagent ${JSON.stringify(child)}.${listed('It has', known) || ' It has none at all.'}`,
  means: 'A tool named a subagent that the session did not spawn.',
  remedy: 'Use a session key or task name that the answer lists.',
}) {}

export class CommandNotGrantedError extends defineError({
  code: 'ATRIUM_TOOL_EXEC_NOT_GRANTED',
  message: ({ problem }: { problem: string }) =>
    `The command was not run: ${problem}. Call exec again to get a new decision.`,
  means:
    'A command was to be run, but no decision allows it, or the decision allows another command; `problem` says which.',
  remedy: 'Nothing; the agent calls the tool again, which leads to a new decision.',
}) {}

export class ProgramMissingError extends defineError({
  code: 'ATRIUM_TOOL_EXEC_NO_PROGRAM',
  message: ({ program }: { program: string }) =>
    `There is no program ${JSON.stringify(program)} that can be run. Check its name, and whether the file is executable.`,
  means:
    'A rule allows the command, and its program is not in the search path. Folders of the workspace are not searched.',
  remedy: "Install it, or put its folder into the gateway's `PATH`.",
}) {}

export class UnknownProcessError extends defineError({
  code: 'ATRIUM_TOOL_PROCESS_UNKNOWN',
  message: ({ processId }: { processId: string }) =>
    `There is no command ${JSON.stringify(processId)} that this session can see. List them with "list".`,
  means: 'An agent asked for a background command that is not there, or that belongs to another session.',
  remedy: 'Nothing; the agent can list its own.',
}) {}

export class ProcessLimitError extends defineError({
  code: 'ATRIUM_TOOL_PROCESS_LIMIT',
  message: ({ limit, scope }: { limit: number; scope: string }) =>
    `${limit} commands ${scope} run in the background already, which is the limit. End one with process kill.`,
  means: 'The limit of background commands is reached; `limit` and `scope` say which limit.',
  remedy: 'End some; the agent can do so with `process`.',
}) {}
