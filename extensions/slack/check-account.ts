// Tries the tokens of an account: who the bot is, whether a socket may be opened, and which scopes are missing. It sends
// no message and opens no socket.

import type { AccountCheck } from '../../src/channels/channel-extension.ts';
import { isJsonObject } from '../../src/protocol/json.ts';
import type { SlackAccount } from './account.ts';
import { SlackApi } from './api.ts';
import { nextStepFor } from './connection.ts';
import { type SlackFailure, sentenceOf } from './failure.ts';

/** What does not work without a scope of the bot token. */
const SCOPES: Readonly<Record<string, string>> = {
  'chat:write': 'the bot cannot answer',
  'im:history': 'direct messages are not received',
  'im:write': 'the bot cannot begin a direct conversation',
  'channels:history': 'messages in channels are not received',
  'groups:history': 'messages in private channels are not received',
  'app_mentions:read': 'mentions are not received',
  'users:read': 'people have ids instead of names',
  'channels:read': 'channels have ids instead of names',
  'reactions:read': 'reactions are not received',
  'reactions:write': 'the bot cannot react',
  'files:read': 'files that people send cannot be read',
  'files:write': 'the bot cannot send files',
};

export async function checkAccount(account: SlackAccount, signal: AbortSignal): Promise<AccountCheck> {
  const { botToken, appToken, apiRoot } = account;
  const api = (token: string) => new SlackApi({ token, apiRoot, closing: signal });
  const bot = await api(botToken).call('auth.test', {}, signal);
  if (!bot.ok) return refusal('botToken', bot.failure);
  const socket = await api(appToken).call('apps.connections.open', {}, signal);
  if (!socket.ok) return refusal('appToken', socket.failure);
  const { user, team, response_metadata: metadata } = bot.value;
  const scopes = isJsonObject(metadata) && Array.isArray(metadata.scopes) ? metadata.scopes : undefined;
  const missing = scopes ? Object.entries(SCOPES).filter(([scope]) => !scopes.includes(scope)) : [];
  return {
    outcome: 'ok',
    name: `${String(user)} in ${String(team)}`,
    notes: missing.map(([scope, what]) => `The scope ${scope} is missing, so ${what}.`),
  };
}

function refusal(token: string, failure: SlackFailure): AccountCheck {
  const reason = sentenceOf(failure);
  if (failure.kind !== 'refused') return { outcome: 'unreachable', reason };
  return { outcome: 'refused', reason: `${reason} It is about ${token}.`, nextStep: nextStepFor(failure) };
}
