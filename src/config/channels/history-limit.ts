// How many messages of a shared place that did not speak to the agent are kept for the next one that does: `historyLimit`
// of the account, else of the channel, else `messages.groupChat.historyLimit`, else 50, and 20 on Discord, as in OpenClaw.

import { normalizeAccountId } from '../../protocol/agent-id.ts';
import { isPlainObject } from '../plain-object.ts';
import type { Config } from '../schema.ts';

const DEFAULT_LIMIT = 50;
const DEFAULT_OF_DISCORD = 20;
const HIGHEST_LIMIT = 1_000;

export function groupHistoryLimitOf(
  config: Config,
  { channel, accountId }: { readonly channel: string; readonly accountId: string },
): number {
  const section = at(at(config, 'channels'), channel);
  const accounts = at(section, 'accounts');
  const names = isPlainObject(accounts) ? Object.keys(accounts) : [];
  const account = names.find((name) => normalizeAccountId(name) === normalizeAccountId(accountId));
  const written = [at(at(accounts, account ?? ''), 'historyLimit'), at(section, 'historyLimit')];
  const own = written.find((value) => typeof value === 'number' && Number.isInteger(value) && value >= 0);
  const usual = channel === 'discord' ? DEFAULT_OF_DISCORD : DEFAULT_LIMIT;
  const limit = typeof own === 'number' ? own : (config.messages?.groupChat?.historyLimit ?? usual);
  return Math.min(limit, HIGHEST_LIMIT);
}

function at(value: unknown, key: string): unknown {
  return isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
