// The errors that the agent folder raises, one row each. docs/errors.md is made from these rows.

import { defineError } from '../protocol/errors.ts';
import type { RefusalFacts } from './spend/describe-spending.ts';

export class TriggerScrubbedError extends defineError({
  code: 'ATRIUM_RUN_SCRUBBED',
  message: ({ runId }: { runId: string }) =>
    `The message of run ${runId} is no longer stored, because a gate blocked it. Send the message again if it is still wanted.`,
  means: 'A run was to be continued, but a gate had blocked its message, so nothing of the message is stored.',
  remedy: 'Send the message again if it is still wanted.',
}) {}

export class RequiredPluginError extends defineError({
  code: 'ATRIUM_PLUGIN_REQUIRED',
  status: 503,
  message: ({ pluginId, reason }: { pluginId: string; reason: string }) =>
    `The plugin "${pluginId}" is required and is not at work, so no run starts: ${reason}`,
  means:
    'The operator requires a plugin (`plugins.entries.<id>.required`), and it is not loaded, suspended or not allowed to guard.',
  remedy: 'Do what the reason asks for and run `atrium plugins reload <id>`, or take `required` out of its entry.',
}) {}

export class MessageWithheldError extends defineError({
  code: 'ATRIUM_RUN_MESSAGE_WITHHELD',
  status: 503,
  message: ({ reason }: { reason: string }) => `The message was not passed on, because it was not checked. ${reason}`,
  means:
    'A handler of `before_message_write` that must not be skipped failed: it is registered with `policy: true`, or its plugin is required.',
  remedy:
    'Look at the log and `atrium hooks status` for the error of the handler, mend the plugin, and send the message again.',
}) {}

export class ClientToolNameError extends defineError({
  code: 'ATRIUM_CLIENT_TOOL_NAME',
  status: 400,
  message: ({ tool }: { tool: string }) =>
    `The agent has a tool "${tool}" of its own, so the client cannot bring another one with this name. Give the client's tool another name, or take the agent's tool away with tools.deny.`,
  means: "A client of the API brought a tool with the name of one of the agent's own tools.",
  remedy: "Give the client's tool another name, or take the agent's tool away with `tools.deny`.",
}) {}

export class ToolRoundsExceededError extends defineError({
  code: 'ATRIUM_RUN_TOOL_ROUNDS',
  message: ({ limit }: { limit: number }) =>
    `The agent went back to its tools more than ${limit} times without an answer. Ask for less at once, or raise agents.defaults.maxToolRounds.`,
  means: 'The agent went back to its tools more often than `agents.defaults.maxToolRounds`.',
  remedy: 'Ask for less at once, or raise the limit.',
}) {}

export class SpendLimitError extends defineError({
  code: 'ATRIUM_SPEND_LIMIT',
  status: 429,
  message: ({ limit, spent, reserved, needed, next }: RefusalFacts) =>
    `The model was not called, because ${limit} has no room for it: ${spent} spent${reserved === undefined ? '' : `, ${reserved} reserved for calls that are being made`}, and this call may take up to ${needed}. ${next}`,
  means:
    'A limit of `limits.spend` has no room for what the call may cost at most, and no cheaper model was set or fits.',
  remedy:
    'Wait until the limit begins anew, or, where other calls hold the room, until these have ended; or raise the limit, which a running gateway takes up. A limit that is smaller than one call is never of use: raise it, or set `maxTokens` of the model lower.',
}) {}

export class UnknownPriceError extends defineError({
  code: 'ATRIUM_SPEND_PRICE_UNKNOWN',
  status: 429,
  message: ({ model, setting }: { model: string; setting: string }) =>
    `The model ${model} was not called, because its price is not known and ${setting} limits money. The operator can write its "cost" with "input" and "output" under models.providers, or set unknownPrice to "allow".`,
  means: 'A limit of `limits.spend` is in money, and the model that would be called has no price.',
  remedy: 'Write the prices of the model under `models.providers`, or set `unknownPrice` of the limit to `allow`.',
}) {}

type ModelCallFacts = {
  readonly provider: string;
  readonly model: string;
  readonly kind: string;
  readonly detail: string;
  /** Whether a person chose the model for the session. */
  readonly isChosen?: boolean;
  /** The fallbacks that could not be told what a client of the API wishes, each with the client's field. */
  readonly untold?: readonly { readonly model: string; readonly param: string }[];
};

function passedOver({ model, param }: { readonly model: string; readonly param: string }): string {
  return ` The fallback ${model} was passed over, because "${param}" cannot be passed on to it.`;
}

export class ModelCallError extends defineError({
  code: 'ATRIUM_MODEL_CALL',
  message: ({ provider, model, kind, detail, isChosen = false, untold = [] }: ModelCallFacts) =>
    `The model ${provider}/${model} did not answer (${kind}): ${ended(detail)}${afterFailure(kind, `${provider}/${model}`)}${
      isChosen ? ' It was chosen for this session; /model default goes back to the model of the agent.' : ''
    }${untold.map(passedOver).join('')}`,
  means:
    'No model answered, the fallbacks included; `kind` and `detail` say why the last one failed. A model that a person chose for the session has no fallbacks.',
  remedy: 'Do what the detail asks for: wait, check the key, the address or the size of the conversation.',
}) {}

export class ModelAnsweredNothingError extends defineError({
  code: 'ATRIUM_MODEL_EMPTY',
  message: ({ provider, model, stop }: { provider: string; model: string; stop: string }) =>
    `The model ${provider}/${model} answered with nothing (${stop}). ${afterNothing(stop)}`,
  means: 'The model ended its answer without a word; `stop` says why.',
  remedy: "Ask again, perhaps in other words; after `length`, raise the model's `maxTokens`.",
}) {}

export class RunTimeoutError extends defineError({
  code: 'ATRIUM_RUN_TIMEOUT',
  message: ({ afterMs, setting = 'agents.defaults.timeoutSeconds' }: { afterMs: number; setting?: string }) =>
    `The run took longer than ${afterMs / 1_000} s, which is the limit. Raise ${setting} to allow more.`,
  means:
    'The run took longer than `agents.defaults.timeoutSeconds`, or a run about the result of a child longer than `agents.defaults.subagents.announceTimeoutMs`.',
  remedy: 'Ask for less at once, or raise the limit.',
}) {}

export class InjectionRefusedError extends defineError({
  code: 'ATRIUM_INJECTION_REFUSED',
  message: ({ owner, problem }: { owner: string; problem: string }) =>
    `The text that ${owner} wants to add to the next run was not queued: ${problem}.`,
  means: "A plugin's text for the next run is empty, too long, or one too many; `problem` says which.",
  remedy: 'Queue less, or wait until a run has shown what is queued.',
}) {}

/** What to do next, with a space before it. */
function afterFailure(kind: string, name: string): string {
  switch (kind) {
    case 'context-length':
      return SHORTER;
    case 'auth':
      return ` The operator can check the key: "atrium models test ${name}".`;
    case 'rate-limit':
    case 'overloaded':
      return ' Try again in a while, or choose another model.';
    case 'network':
    case 'timeout':
    case 'server':
      return ' Try again; if it stays so, choose another model.';
    case 'bad-request':
      return ` The provider does not take this request: choose another model, say /new to begin without what was said, or try the model alone with "atrium models test ${name}".`;
    case 'malformed':
      return ` Try again; if it stays so, the operator can check the address of the provider: "atrium models test ${name}".`;
    case 'unknown':
      return ` Try again; if it stays so, the operator finds more in the log of the gateway ("atrium logs") and with "atrium models test ${name}".`;
    default:
      return '';
  }
}

function afterNothing(stop: string): string {
  if (stop === 'length')
    return 'It came to the limit of an answer first: raise maxTokens of the model, or ask for less.';
  return 'Ask again, perhaps in other words.';
}

/** Providers often leave out the full stop, and other sentences may follow. */
function ended(words: string): string {
  return /[.!?…]$/.test(words) ? words : `${words}.`;
}

const SHORTER = ' Say /compact to make the conversation shorter, or /new to begin another one.';
