// What stands before every answer on a chat platform: `responsePrefix` of the account, else of the platform, else of
// `messages`. An empty text ends the search. `auto` is the name of the agent in brackets; names in braces, such as
// `{model}`, are filled in. The page, the terminal and the API have no prefix. What a channel is, this file does not know.

import { normalizeAccountId } from '../protocol/agent-id.ts';
import type { ModelRef } from '../protocol/model-ref.ts';
import { agentIdentityOf } from './agent-identity.ts';
import { isPlainObject, type PlainObject } from './plain-object.ts';
import type { Config } from './schema.ts';

export interface AnsweredPlace {
  readonly agentId: string;
  readonly channel: string;
  readonly accountId: string;
}

/** The prefix with all names filled in; empty when there is none. */
export function responsePrefixOf(
  config: Config,
  { agentId, channel, accountId }: AnsweredPlace,
  { provider, model }: ModelRef,
): string {
  const platform = objectIn(config.channels, channel);
  const accounts = isPlainObject(platform?.accounts) ? platform.accounts : {};
  const named = Object.keys(accounts).find((name) => normalizeAccountId(name) === normalizeAccountId(accountId));
  const account = named === undefined ? undefined : objectIn(accounts, named);
  const given = [account, platform, config.messages]
    .map((section) => (isPlainObject(section) ? section.responsePrefix : undefined))
    .find((value) => typeof value === 'string');
  if (typeof given !== 'string') return '';
  const { name } = agentIdentityOf(config, agentId);
  if (given.trim() === 'auto') return name === undefined ? '' : `[${name}]`;
  const words: Readonly<Record<string, string | undefined>> = {
    model: shortName(model),
    modelfull: `${provider}/${model}`,
    provider,
    'identity.name': name,
    identityname: name,
  };
  return given.replace(/\{([a-zA-Z.]+)\}/g, (whole, word: string) => words[word.toLowerCase()] ?? whole);
}

/** The text with the prefix before it, once. */
export function withPrefix(prefix: string, text: string): string {
  return prefix === '' || text.trim() === '' || text.startsWith(prefix) ? text : `${prefix} ${text}`;
}

/** The name of the model without the provider in front of it, without a date and without the word "latest". */
function shortName(model: string): string {
  return model
    .slice(model.lastIndexOf('/') + 1)
    .replace(/-\d{8}$/, '')
    .replace(/-latest$/, '');
}

function objectIn(section: unknown, key: string): PlainObject | undefined {
  const value = isPlainObject(section) && Object.hasOwn(section, key) ? section[key] : undefined;
  return isPlainObject(value) ? value : undefined;
}
