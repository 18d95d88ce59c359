// The errors that the gateway folder raises, one row each. docs/errors.md is made from these rows.

import type { ConfigIssue } from '../config/errors.ts';
import { docsCommand } from '../protocol/documents.ts';
import { defineError } from '../protocol/errors.ts';
import { listed } from '../protocol/listed.ts';

export class BadFlagError extends defineError({
  code: 'ATRIUM_CLI_BAD_FLAG',
  message: ({ flag, value, expected }: { flag: string; value: string; expected: string }) =>
    `${flag} ${JSON.stringify(value)} is not ${expected}.`,
  means: 'A flag has a value that it cannot have.',
  remedy: 'Give it one of the values that the message names.',
}) {}

export class BundleNotWrittenError extends defineError({
  code: 'ATRIUM_BUNDLE_NOT_WRITTEN',
  status: 500,
  message: ({ dir, reason }: { dir: string; reason: string }) =>
    `The bundle could not be written to ${dir} (${reason}). Check the folder, its permissions and the space on the disk.`,
  means: 'A bundle of a session could not be written.',
  remedy:
    'Check the folder that the message names, its permissions and the space on the disk, or name another with `--out`.',
}) {}

export class BundleUnreadableError extends defineError({
  code: 'ATRIUM_BUNDLE_UNREADABLE',
  status: 400,
  message: ({ dir, reason }: { dir: string; reason: string }) => `${dir} is not a bundle that can be read: ${reason}.`,
  means: 'A folder is not a bundle, or its manifest cannot be used.',
  remedy: 'Name a folder that `atrium export-trajectory` has written, or export the session again.',
}) {}

export class BootstrapFileUnknownError extends defineError({
  code: 'ATRIUM_BOOTSTRAP_FILE_UNKNOWN',
  status: 404,
  message: ({ file, known }: { file: string; known: readonly string[] }) =>
    `${JSON.stringify(file)} is not a bootstrap file of this agent. It has ${listed(known)}.`,
  means:
    'Only the bootstrap files of an agent can be read and edited through the gateway, and it has none of this name.',
  remedy: 'Name one of the files in the message, or edit the other file on its disk.',
}) {}

export class BootstrapFileRefusedError extends defineError({
  code: 'ATRIUM_BOOTSTRAP_FILE_REFUSED',
  status: 422,
  message: ({ file, problem }: { file: string; problem: string }) => `${file} cannot be edited. ${problem}`,
  means:
    'A bootstrap file is no regular text file inside of the workspace, after links are followed, or the text cannot be written. Nothing was changed.',
  remedy: 'Correct what the message names, or edit the file on its disk.',
}) {}

export class BootstrapFileChangedError extends defineError({
  code: 'ATRIUM_BOOTSTRAP_FILE_CHANGED',
  status: 409,
  message: ({ file }: { file: string; version: string | null }) =>
    `${file} was changed in the meantime, so it was not written. Read it again, and repeat the edit.`,
  means: 'A bootstrap file is not what the editor has read; the other change was kept. `version` is what it is now.',
  remedy: 'Read the file again, and repeat the edit.',
}) {}

export class FileVersionUnknownError extends defineError({
  code: 'ATRIUM_FILE_VERSION_UNKNOWN',
  status: 404,
  message: ({ file, id }: { file: string; id: number }) =>
    `${file} has no version ${id}. "atrium context history ${file}" shows those that are kept.`,
  means: 'No version of this number is kept for the file.',
  remedy: 'See `atrium context history`.',
}) {}

export class ConfigVariantError extends defineError({
  code: 'ATRIUM_CONFIG_VARIANT',
  status: 400,
  message: ({ setting }: { setting: string }) =>
    `A look cannot have another value for ${setting}, because that could load code or open something. Leave it out.`,
  means: 'A look at what an agent would read was asked for with a setting that a look does not change.',
  remedy: 'Leave the setting out, or change the configuration itself.',
}) {}

export class UnknownHandlerError extends defineError({
  code: 'ATRIUM_HOOK_HANDLER_UNKNOWN',
  status: 404,
  message: ({ handler, suggestion }: { handler: string; suggestion: string | undefined }) =>
    `There is no handler, rule or hook pack "${handler}". ${
      suggestion ? `Did you mean "${suggestion}"?` : 'Run "atrium hooks list" to see what there is.'
    }`,
  means: 'No handler, rule or hook pack has this name.',
  remedy: 'See what there is with `atrium hooks list`.',
}) {}

export class WebhookTokenInAddressError extends defineError({
  code: 'ATRIUM_WEBHOOK_TOKEN_IN_ADDRESS',
  status: 400,
  message:
    'The token of a webhook may not be in its address, because addresses are written into logs. Send it as "Authorization: Bearer <token>" or "x-openclaw-token".',
  means: 'A request to a webhook has `token` in its query.',
  remedy: 'Send the token in a header, and choose a new token: the old one may be in a log.',
}) {}

export class WebhookTokenError extends defineError({
  code: 'ATRIUM_WEBHOOK_TOKEN',
  status: 401,
  message: ({ isMissing }: { isMissing: boolean }) =>
    `${isMissing ? 'A webhook needs its token' : 'This is not the token of the webhooks'}. Send the one that hooks.token sets, which is not the gateway's, as "Authorization: Bearer <token>" or "x-openclaw-token".`,
  means: 'A request to a webhook came without the token of webhooks, or with another one.',
  remedy: 'Send what `hooks.token` in the configuration sets. The token of the gateway opens no webhook.',
}) {}

export class WebhookRefusedError extends defineError({
  code: 'ATRIUM_WEBHOOK_REFUSED',
  status: 400,
  message: ({ problem }: { problem: string }) =>
    `This webhook was not taken: ${problem}. "${docsCommand('webhooks')}" says what a request may have.`,
  means: 'A request to a webhook lacks something, or asks for what its settings do not allow.',
  remedy: 'Change the request, or the settings below `hooks` that the message names; see [webhooks.md](webhooks.md).',
}) {}

export class WebhookTransformError extends defineError({
  code: 'ATRIUM_WEBHOOK_TRANSFORM',
  status: 500,
  message: ({ mapping }: { mapping: string }) =>
    `The transform of the mapping "${mapping}" failed, so nothing of the request was taken. The log of the gateway says why.`,
  means: 'The code that `transform` of a mapping names could not be loaded, threw, or took longer than ten seconds.',
  remedy: 'Look into the log (`atrium logs`), and mend the file below `<state>/hooks/transforms`.',
}) {}

export class WebhookUnmatchedError extends defineError({
  code: 'ATRIUM_WEBHOOK_UNMATCHED',
  status: 404,
  message: ({ path }: { path: string }) =>
    `No mapping in hooks.mappings or hooks.presets takes requests to ${JSON.stringify(path)}.`,
  means: 'There is no webhook of this name, or none for this `source`.',
  remedy: 'Add a mapping whose `match` fits the request, or correct the address.',
}) {}

export class TokenMissingError extends defineError({
  code: 'ATRIUM_HTTP_TOKEN_MISSING',
  status: 401,
  message:
    'This needs the gateway\'s token. Send it as "Authorization: Bearer <token>"; it is in the file atrium/token in the state directory.',
  means: 'A request came without the token.',
  remedy: 'Send `Authorization: Bearer <token>`.',
}) {}

export class TokenWrongError extends defineError({
  code: 'ATRIUM_HTTP_TOKEN_WRONG',
  status: 401,
  message: ({ isConfigured }: { isConfigured: boolean }) =>
    isConfigured
      ? 'This is not the token of this gateway. The right one is what gateway.auth.token, or OPENCLAW_GATEWAY_TOKEN, was when it was started; a change counts from its next start on.'
      : 'This is not the token of this gateway. The right one is in the file atrium/token in its state directory; a gateway.auth.token that was set since counts from its next start on.',
  means: "The token is not this gateway's.",
  remedy: 'Use the one in `<state>/atrium/token`, or the configured one.',
}) {}

export class TokenAttemptsError extends defineError({
  code: 'ATRIUM_HTTP_TOKEN_ATTEMPTS',
  status: 429,
  message: ({ retryAfterSeconds }: { retryAfterSeconds: number }) =>
    `Too many wrong tokens came from this address. Try again in ${retryAfterSeconds} seconds.`,
  means: 'Too many wrong tokens came from one address.',
  remedy: 'Wait for `retryAfterSeconds`.',
}) {}

export class HostRefusedError extends defineError({
  code: 'ATRIUM_HTTP_HOST_REFUSED',
  status: 403,
  message: ({ host }: { host: string }) =>
    `This gateway does not answer to the name ${JSON.stringify(host)}. Use its address, or add an origin with this name to gateway.allowedOrigins.`,
  means: 'The `Host` of a request is a name that the gateway does not know as its own.',
  remedy: 'Use its address, or add an origin with that name to `gateway.allowedOrigins`.',
}) {}

export class OriginRefusedError extends defineError({
  code: 'ATRIUM_HTTP_ORIGIN_REFUSED',
  status: 403,
  message: ({ origin }: { origin: string }) =>
    `Pages of ${JSON.stringify(origin)} may not call this gateway. Add that origin to gateway.allowedOrigins if they should.`,
  means: 'A page of another origin called the gateway.',
  remedy: 'Add the origin to `gateway.allowedOrigins` if it should be able to.',
}) {}

export class BodyTooLargeError extends defineError({
  code: 'ATRIUM_HTTP_BODY_TOO_LARGE',
  status: 413,
  message: ({ limitBytes }: { limitBytes: number }) =>
    `The request is longer than the ${limitBytes} bytes allowed here. Send less at once.`,
  means: "A request's body is longer than `limitBytes`.",
  remedy: 'Send less at once.',
}) {}

/** `param` is the wrong field, where the error is about one field. */
export class RequestInvalidError extends defineError({
  code: 'ATRIUM_HTTP_REQUEST_INVALID',
  status: 400,
  message: ({ problem }: { problem: string; param?: string | undefined }) => problem,
  means: 'The body or the query of a request cannot be used; `param` is the field.',
  remedy: 'Correct what the message names.',
}) {}

export class ClientCallUnknownError extends defineError({
  code: 'ATRIUM_CLIENT_CALL_UNKNOWN',
  status: 400,
  message: ({ call }: { call: string }) =>
    `No run here has handed out the tool call "${call}", so its result cannot be used. Send the results of all calls of one answer together, with the ids that they came with; else begin again with a user message.`,
  means:
    'A client brought the result of a tool call that this gateway has not handed out, or of calls of several runs.',
  remedy:
    'Send the results with the ids of the calls, all of one answer together; else begin again with a user message.',
}) {}

export class ClientResultMissingError extends defineError({
  code: 'ATRIUM_CLIENT_RESULT_MISSING',
  status: 400,
  message: ({ calls }: { calls: readonly string[] }) =>
    `The results of these tool calls are missing: ${calls.join(', ')}. Send the results of all calls of an answer together.`,
  means: 'A client brought the results of some calls of an answer and not of the others.',
  remedy: 'Send the results of all calls of an answer together; a result may say that the call failed.',
}) {}

export class ClientResultChangedError extends defineError({
  code: 'ATRIUM_CLIENT_RESULT_CHANGED',
  status: 409,
  message: ({ call, runId }: { call: string; runId: string }) =>
    `The run ${runId} went on with another result of the tool call "${call}", and a result cannot be changed. Send the same result for the same answer, or say in a user message what is different.`,
  means: 'A client brought the result of a tool call again, with another content than the first time.',
  remedy: 'Send the same result to get the same answer, or say in a user message what is different.',
}) {}

export class ClientToolsChangedError extends defineError({
  code: 'ATRIUM_CLIENT_TOOLS_CHANGED',
  status: 400,
  message: ({ tool, runId }: { tool: string; runId: string }) =>
    `The run ${runId} was not offered the tool "${tool}" when it began. While a run waits for results, tools can be left out and none can be added. Send the same tools, or begin again with a user message.`,
  means: 'A client brought results together with a tool that the run did not have when it began.',
  remedy: 'Send the tools of the first request, or begin again with a user message.',
}) {}

export class UnknownResponseError extends defineError({
  code: 'ATRIUM_RESPONSE_UNKNOWN',
  status: 404,
  message: ({ id }: { id: string }) =>
    `There is no response "${id}". It was made elsewhere, was removed with its session, or was asked for with "store": false.`,
  means: 'A response of `/v1/responses` was asked for, continued or cancelled, and there is none with this id.',
  remedy: 'Use the `id` of a response of this gateway that was not made with `"store": false`.',
}) {}

export class EmbeddingsModelError extends defineError({
  code: 'ATRIUM_HTTP_EMBEDDINGS_MODEL',
  status: 400,
  message: ({ model, problem }: { model: string; problem: string }) =>
    `${JSON.stringify(model)} cannot make embeddings: ${problem}. Write the model as <provider>/<model>, such as "openai/text-embedding-3-small", with a provider of models.providers whose API is like OpenAI's or Google's.`,
  means: '`POST /v1/embeddings` named a model of no usable provider, or of one whose API has no embeddings.',
  remedy: 'Name a model as `<provider>/<model>`; configure the provider under `models.providers`, or set its key.',
}) {}

export class UnknownPathError extends defineError({
  code: 'ATRIUM_HTTP_PATH_UNKNOWN',
  status: 404,
  message: ({ method, path }: { method: string; path: string }) =>
    `There is nothing at ${method} ${path}. GET /openapi.json lists what there is.`,
  means: 'No route has this path.',
  remedy: 'See `GET /openapi.json`.',
}) {}

export class WrongMethodError extends defineError({
  code: 'ATRIUM_HTTP_METHOD_WRONG',
  status: 405,
  message: ({ method, path, allowed }: { method: string; path: string; allowed: readonly string[] }) =>
    `${path} does not take ${method}. It takes ${allowed.join(', ')}.`,
  means: 'A route has this path, with another method.',
  remedy: 'Use a method that the message and the `allow` header name.',
}) {}

export class UnknownModelNameError extends defineError({
  code: 'ATRIUM_HTTP_MODEL_UNKNOWN',
  status: 404,
  message: ({
    model,
    known,
    suggestion,
  }: {
    model: string;
    known: readonly string[];
    suggestion: string | undefined;
  }) =>
    `There is no model ${JSON.stringify(model)} here. ${suggestion ? `Did you mean "${suggestion}"?` : `Use one of: ${known.join(', ')}.`}`,
  means: 'A chat completion asked for a model that is no agent here.',
  remedy: 'Use a name from `GET /v1/models`.',
}) {}

export class IdempotencyKeyReusedError extends defineError({
  code: 'ATRIUM_HTTP_IDEMPOTENCY_KEY_REUSED',
  status: 422,
  message: ({ runId }: { runId: string }) =>
    `This idempotency key belongs to another message, or to another wish for its answer (run ${runId}). Use a new key for a new request.`,
  means: 'A key was sent again with another message, or with other fields about the answer or the tools.',
  remedy: 'Use a new key for a new request.',
}) {}

export class UnknownChildError extends defineError({
  code: 'ATRIUM_SESSION_CHILD_UNKNOWN',
  status: 404,
  message: ({ child, sessionKey, known = [] }: { child: string; sessionKey?: string; known?: readonly string[] }) =>
    sessionKey === undefined
      ? `There is no subagent ${JSON.stringify(child)}. "atrium subagents list" names them.`
      : `The session ${JSON.stringify(sessionKey)} has no subagent ${JSON.stringify(child)}. ${known.length === 0 ? 'It has none at all.' : `It has ${listed(known)}.`}`,
  means: 'No subagent of the session, or none at all, has this key, task name or label.',
  remedy: 'Take a name or a key from the list of subagents.',
}) {}

export class UnknownRunError extends defineError({
  code: 'ATRIUM_RUN_UNKNOWN',
  status: 404,
  message: ({ runId }: { runId: string }) =>
    `There is no run ${JSON.stringify(runId)}. "atrium sessions show <session>" names the runs of a session; old runs may have been deleted.`,
  means: 'No run has this id.',
  remedy: 'Take an id from `atrium sessions show`.',
}) {}

export class UnknownCaptureError extends defineError({
  code: 'ATRIUM_RUN_CAPTURE_UNKNOWN',
  status: 404,
  message: ({ runId, call }: { runId: string; call: string }) =>
    `${call === 'last' ? `No request of run ${runId} is kept` : `Request ${call} of run ${runId} is not kept`}. The run made no such call, or its capture was deleted because there are newer ones (recorder.captures).`,
  means: 'The request that was asked for is not kept.',
  remedy: 'Ask for a call that the run made; keep captures longer with `recorder.captures`.',
}) {}

export class UnknownReportError extends defineError({
  code: 'ATRIUM_RUN_REPORT_UNKNOWN',
  status: 404,
  message: ({ runId }: { runId: string }) =>
    `Run ${runId} has no context report: it is not over yet, or ended before anything was composed.`,
  means: 'The run has no context report.',
  remedy: 'Wait for its end, or look at another run.',
}) {}

export class PortInUseError extends defineError({
  code: 'ATRIUM_GATEWAY_PORT_IN_USE',
  status: 503,
  message: ({ host, port }: { host: string; port: number }) =>
    `Port ${port} on ${host} is in use, perhaps by another gateway. Stop that program, or choose another port with --port or gateway.port.`,
  means: 'Another program listens on the port.',
  remedy: 'Stop it, or choose another port.',
}) {}

export class ListenFailedError extends defineError({
  code: 'ATRIUM_GATEWAY_LISTEN_FAILED',
  status: 503,
  message: ({ host, port, reason }: { host: string; port: number; reason: string }) =>
    `The gateway cannot listen on ${host} port ${port} (${reason}). Choose another address with gateway.bind, or another port with --port.`,
  means: 'The address or port cannot be listened on; `reason` says why.',
  remedy: 'Choose another with `gateway.bind` or `--port`.',
}) {}

export class BindAddressInvalidError extends defineError({
  code: 'ATRIUM_GATEWAY_BIND_INVALID',
  status: 503,
  message: ({ bind }: { bind: string }) =>
    `gateway.bind is ${JSON.stringify(bind)}, which is no address to listen on. Use "loopback", "lan" or an IP address of this machine.`,
  means: '`gateway.bind` is neither a known word nor an IP address.',
  remedy: 'Use `loopback`, `lan` or an address.',
}) {}

export class ProtectionMissingError extends defineError({
  code: 'ATRIUM_GATEWAY_PROTECTION_MISSING',
  status: 503,
  message: ({ settings }: { settings: readonly { readonly path: string; readonly sentence: string }[] }) =>
    [
      'No gateway runs with these settings, because they ask for a protection that Atrium does not have:',
      ...settings.map(({ path, sentence }) => `${path}: ${sentence}`),
      `Take the ${settings.length === 1 ? 'setting' : 'settings'} back (openclaw.yaml is merged over openclaw.json and may do that), or accept what follows with "acceptUnused": ${JSON.stringify(settings.map(({ path }) => path))}.`,
    ].join('\n'),
  means:
    'The configuration or the environment asks for a way of knowing callers, for TLS, for a proxy or for something else that Atrium does not have. `settings` names each with what follows.',
  remedy: 'Take the setting back, or name it in `acceptUnused`.',
}) {}

export class BindWithoutTokenError extends defineError({
  code: 'ATRIUM_GATEWAY_BIND_WITHOUT_TOKEN',
  status: 503,
  message: ({ address }: { address: string }) =>
    `The gateway does not listen on ${address} without a token, because others could reach it there. Set gateway.auth.token, or bind to "loopback".`,
  means: 'Others could reach the address, and there is no token.',
  remedy: 'Set `gateway.auth.token`, or bind to `loopback`.',
}) {}

export class TokenUnresolvedError extends defineError({
  code: 'ATRIUM_TOKEN_UNRESOLVED',
  message: ({ problem }: { problem: string }) =>
    `gateway.auth.token cannot be used: ${problem}. Set it to the token itself, or remove it to have one made.`,
  means: 'The configured token is blank or still the name of a variable.',
  remedy: 'Set the token itself, or remove the setting.',
}) {}

export class TokenFileError extends defineError({
  code: 'ATRIUM_TOKEN_FILE',
  message: ({ file, problem }: { file: string; problem: string }) =>
    `The token file ${file} cannot be used: ${problem}. Correct or remove the file; without it, a new token is made.`,
  means: 'The token file cannot be read, is no regular file, or holds no usable token.',
  remedy: 'Correct or remove the file.',
}) {}

export class StateDirError extends defineError({
  code: 'ATRIUM_STATE_DIR',
  message: ({ dir, problem }: { dir: string; problem: string }) =>
    `The state directory ${dir} cannot be used: ${problem}. Make it a directory that this user may write, or name another one in OPENCLAW_STATE_DIR.`,
  means: 'The state directory, or `atrium` in it, cannot be read or written, or is no directory.',
  remedy: 'Make it a directory that the user of the gateway may write, or name another one in `OPENCLAW_STATE_DIR`.',
}) {}

export class TooFewFilesError extends defineError({
  code: 'ATRIUM_GATEWAY_FILES',
  message: ({ limit, least }: { limit: number | undefined; least: number }) =>
    `This process may not have enough files and connections open at once${limit === undefined ? '' : ` (${limit})`}; a gateway needs ${least}. Raise the limit, for example with "ulimit -n 1024", and start again.`,
  means: 'The limit of open files of the process is so low that a gateway would break in the middle of its work.',
  remedy: 'Raise the limit, for example with `ulimit -n 1024` or `LimitNOFILE=` of systemd, and start again.',
}) {}

export class RunGivenUpError extends defineError({
  code: 'ATRIUM_RUN_GIVEN_UP',
  message: ({ claims }: { claims: number }) =>
    `The run was begun ${claims} times and was cut short each time before it got anywhere. It is kept as a dead letter; see atrium deadletters.`,
  means: 'The gateway crashed three times while it worked on this run. The message is kept.',
  remedy: 'Find out what kills it (the log, the hooks), then `atrium deadletters replay`.',
}) {}

export class InboundTooLongError extends defineError({
  code: 'ATRIUM_INBOUND_TOO_LONG',
  status: 413,
  message: ({ chars, limit }: { chars: number; limit: number }) =>
    `The message has ${chars} characters, and ${limit} are the limit. Send it in parts, or as a file in the workspace.`,
  means: 'A message is longer than the gateway takes.',
  remedy: 'Send it in parts, or as a file in the workspace.',
}) {}

export class NoRequestError extends defineError({
  code: 'ATRIUM_PREVIEW_NO_REQUEST',
  status: 400,
  message: ({ text, answer }: { text: string; answer: string | undefined }) =>
    `The gateway answers "${text.trim().slice(0, 40)}" itself. No model is asked, so there is no request to show. ${
      answer === undefined ? 'Preview the message that you would say to the agent.' : `The answer is: ${answer}`
    }`,
  means:
    'The gateway answers the message itself and asks no model: it is a command such as `/status`, or begins with a slash and no command has this name.',
  remedy: 'Preview a message to the agent.',
}) {}

export class UnknownAllowRuleError extends defineError({
  code: 'ATRIUM_APPROVAL_RULE_UNKNOWN',
  status: 404,
  message: ({ ruleId }: { ruleId: string }) =>
    `There is no rule ${JSON.stringify(ruleId)}. "atrium approvals rules" lists those that there are.`,
  means: 'There is no allow rule of this name, or it was revoked already.',
  remedy: 'Look it up with `atrium approvals rules`.',
}) {}

export class UnknownChannelError extends defineError({
  code: 'ATRIUM_CHANNEL_UNKNOWN',
  status: 404,
  message: ({ channel }: { channel: string }) =>
    `The configuration has no account of a chat platform ${JSON.stringify(channel)} that could be opened. "atrium channels list" shows those that there are.`,
  means: 'A channel was to be opened again, and the configuration has no usable account of such a platform.',
  remedy: 'Look at `atrium channels list`, and add an account with `atrium channels add`.',
}) {}

export class UnknownPairingError extends defineError({
  code: 'ATRIUM_PAIRING_UNKNOWN',
  status: 404,
  message: ({ what, channel }: { what: string; channel: string }) =>
    `No pairing on ${JSON.stringify(channel)} has the ${what}. "atrium pairing list" shows those that there are; a code is valid for one hour, and the person gets another one by writing again.`,
  means: 'No person waits on this channel with this code, or no person of this id waits or was approved there.',
  remedy: 'Look it up with `atrium pairing list`. Where the code is too old, let the person write again.',
}) {}

export class PluginTimeoutError extends defineError({
  code: 'ATRIUM_PLUGIN_TIMEOUT',
  status: 504,
  message: ({ pluginId, what, afterMs }: { pluginId: string; what: string; afterMs: number }) =>
    `The plugin "${pluginId}" did not answer within ${afterMs} ms: ${what}.`,
  means: 'A plugin was asked for something and did not answer in time.',
  remedy: 'Look at the plugin with `atrium plugins inspect`, and load it again.',
}) {}

export class PartNotOpenedError extends defineError({
  code: 'ATRIUM_GATEWAY_PART',
  status: 503,
  message: ({ part, detail }: { part: string; detail: string }) =>
    `The gateway could not open ${part}: ${withFullStop(detail)} Everything that was open was closed again.`,
  means: 'One part of the gateway could not be opened, so the gateway did not start.',
  remedy: 'Fix what the message names, and start again.',
}) {}

function withFullStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

export class HandlerSettingsSharedError extends defineError({
  code: 'ATRIUM_HOOK_SETTINGS_SHARED',
  status: 409,
  message: ({ handler, bundled, dir }: { handler: string; bundled: string; dir: string }) =>
    `${handler} (${dir}) shares its switch, hooks.internal.entries.${bundled}, with the handler "${bundled}" that comes with Atrium, so it cannot be switched alone. Give it another name in its HOOK.md, or remove the folder.`,
  means: 'A hook pack has the name of a bundled handler, so that both have the same entry in the configuration.',
  remedy: 'Give the pack another name.',
}) {}

export class HandlerNotSwitchableError extends defineError({
  code: 'ATRIUM_HOOK_NOT_SWITCHABLE',
  status: 409,
  message: ({ handler, place }: { handler: string; place: string }) =>
    `"${handler}" has no switch of its own. Edit ${place} by hand to add it or to take it out.`,
  means: 'The handler has no setting that turns it on or off.',
  remedy: 'Edit the place that the message names by hand.',
}) {}

export class InstallManagedError extends defineError({
  code: 'ATRIUM_INSTALL_MANAGED',
  status: 409,
  message: ({ target }: { target: string }) =>
    `"${target}" was left as it is, because OPENCLAW_NIX_MODE is 1: another program decides what is installed. Change it there.`,
  means:
    'With OPENCLAW_NIX_MODE=1 another program, such as Nix, decides what is installed. No command installs or removes anything.',
  remedy: 'Change it where the installation is made, or take the variable back.',
}) {}

export class UnknownSettingError extends defineError({
  code: 'ATRIUM_CLI_SETTING_UNKNOWN',
  status: 400,
  message: ({ setting, suggestion }: { setting: string; suggestion: string | undefined }) =>
    `${setting} is not a setting that Atrium knows, so nothing was written. ${
      suggestion ? `Did you mean ${suggestion}?` : '"atrium config schema" lists them all.'
    } "atrium config set --force" writes it all the same.`,
  means: 'No setting has this address.',
  remedy: `Use the address that the message suggests, or one from \`${docsCommand('config')}\`.`,
}) {}

export class SettingRefusedError extends defineError({
  code: 'ATRIUM_CLI_SETTING_REFUSED',
  status: 400,
  message: ({ issues }: { issues: readonly ConfigIssue[] }) => {
    const lines = issues.map(({ path, found, expected }) => `${path} would be ${found}; expected ${expected}.`);
    return `${lines.join('\n')}\nNothing was written.`;
  },
  means: 'No gateway could use the configuration after the change. `issues` holds what would be wrong.',
  remedy: 'Give a value of the kind that the message names. `--force` writes it all the same.',
}) {}

export class SettingStopsStartError extends defineError({
  code: 'ATRIUM_CLI_SETTING_STOPS_START',
  status: 400,
  message: ({ path, sentence }: { path: string; sentence: string }) =>
    `${path} was not written, because no gateway would start with it: ${sentence} "atrium config set --force" writes it all the same.`,
  means: 'The setting asks for a protection that Atrium does not have, and no gateway starts with such a setting.',
  remedy: 'Leave it out, or name it in `acceptUnused` first. `--force` writes it all the same.',
}) {}

export class UnkeptValueError extends defineError({
  code: 'ATRIUM_CLI_SETTING_VALUE_UNKEPT',
  status: 400,
  message: ({ setting, value }: { setting: string; value: string }) =>
    `${setting} cannot be ${value}: a configuration cannot hold that. Nothing was written. To take a setting out, use "atrium config unset ${setting}"; for the text, add --string.`,
  means: 'The value is null, or a number without end, which no configuration file can hold.',
  remedy: 'Use `atrium config unset` to take a setting out, or `--string` for the text.',
}) {}

export class UnreadableSettingError extends defineError({
  code: 'ATRIUM_CLI_SETTING_UNREADABLE',
  status: 400,
  message: ({ setting }: { setting: string }) =>
    `"${setting}" is no address of a setting. Write names with dots between them, items in brackets and other names in quotes: agents.list[0].model, channels.slack.channels["a b"].`,
  means: 'The text cannot be read as the address of a setting.',
  remedy: `Write names with dots between them; \`${docsCommand('config')}\` lists them.`,
}) {}

export class HiddenValueError extends defineError({
  code: 'ATRIUM_CONFIG_VALUE_HIDDEN',
  status: 400,
  message: ({ setting }: { setting: string }) =>
    `${setting} was not changed, because the value has the word in it that stands for a hidden secret. Write the secret itself, or leave the setting as it is.`,
  means: 'A client sent back a configuration in which secrets are hidden.',
  remedy: 'Send only what was changed.',
}) {}

export class SettingNotSetError extends defineError({
  code: 'ATRIUM_CONFIG_SETTING_NOT_SET',
  status: 404,
  message: ({ setting }: { setting: string }) => `${setting} is not set, so its default holds.`,
  means: 'The configuration does not have this setting.',
  remedy: 'Nothing, or check the address with `atrium config get`.',
}) {}

export class InstallNotWaitingError extends defineError({
  code: 'ATRIUM_INSTALL_NOT_WAITING',
  status: 404,
  message: ({ install }: { install: string }) =>
    `No installation ${JSON.stringify(install)} waits to be confirmed. It was confirmed or dropped, or its time is over. Begin again.`,
  means: 'An installation was confirmed or dropped that does not wait any more.',
  remedy: 'Begin it again.',
}) {}
