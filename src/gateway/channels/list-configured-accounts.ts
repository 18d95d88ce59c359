// The accounts of a platform as the configuration names them, also those that are switched off or cannot be used, so that
// commands can name, mend and remove them. It says where each one stands in the file, and does not ask the platform.

import type { ConfigPath } from '../../config/config-path.ts';
import type { Environment } from '../../config/environment.ts';
import { isPlainObject } from '../../config/plain-object.ts';
import type { Config } from '../../config/schema.ts';
import { DEFAULT_ACCOUNT_ID, normalizeAccountId } from '../../protocol/agent-id.ts';
import { escapePattern } from '../../protocol/escape-pattern.ts';
import type { ExtensionRow, FoundExtension } from './channel-extensions.ts';

export interface ConfiguredAccount {
  readonly accountId: string;
  /** Where its settings are: the section itself, or its entry below `accounts`. */
  readonly at: ConfigPath;
  /** The keys of its tokens that are written there, also those that name a file. */
  readonly tokenKeys: readonly string[];
  readonly state: 'on' | 'off' | 'not usable';
  /** Why it is not usable, in one sentence. */
  readonly problem?: string | undefined;
}

export interface ConfiguredPlatform {
  readonly accounts: readonly ConfiguredAccount[];
  readonly found: FoundExtension;
  /** What is wrong or odd without keeping an account from working, one sentence each. */
  readonly remarks: readonly string[];
}

export async function listConfiguredAccounts(
  row: ExtensionRow,
  config: Config,
  environment: Environment,
): Promise<ConfiguredPlatform> {
  const found = await row.find(config, environment);
  const section = sectionOf(config, row.id);
  if (!section) return { accounts: [], found, remarks: found.problems };
  const named = new Map<string, { readonly at: ConfigPath; readonly settings: Readonly<Record<string, unknown>> }>();
  for (const [name, settings] of Object.entries(isPlainObject(section.accounts) ? section.accounts : {})) {
    const at = ['channels', row.id, 'accounts', name];
    const accountId = normalizeAccountId(name);
    if (!named.has(accountId)) named.set(accountId, { at, settings: isPlainObject(settings) ? settings : {} });
  }
  // The section is the default account when it has a token, also one from a variable, or names no other account.
  const isUsed = found.accounts.some(({ accountId }) => accountId === DEFAULT_ACCOUNT_ID);
  if (!named.has(DEFAULT_ACCOUNT_ID) && (isUsed || named.size === 0 || tokenKeysIn(section, row).length > 0)) {
    named.set(DEFAULT_ACCOUNT_ID, { at: ['channels', row.id], settings: section });
  }
  const isOff = section.enabled === false;
  const accounts = [...named].map(([accountId, { at, settings }]): ConfiguredAccount => {
    const facts = { accountId, at, tokenKeys: tokenKeysIn(settings, row) };
    if (isOff || settings.enabled === false) return { ...facts, state: 'off' };
    if (found.accounts.some((each) => each.accountId === accountId)) return { ...facts, state: 'on' };
    const problem = problemAt(at.join('.'), found.problems) ?? `${at.join('.')} cannot be used.`;
    return { ...facts, state: 'not usable', problem };
  });
  const told = new Set(accounts.map(({ problem }) => problem));
  return { accounts, found, remarks: found.problems.filter((each) => !told.has(each)) };
}

export function sectionOf(config: object, platform: string): Readonly<Record<string, unknown>> | undefined {
  const channels = (config as Readonly<Record<string, unknown>>).channels;
  const section = isPlainObject(channels) ? channels[platform] : undefined;
  return isPlainObject(section) ? section : undefined;
}

export function tokenKeysIn(settings: object, { tokens }: Pick<ExtensionRow, 'tokens'>): readonly string[] {
  const keys = new Set([...tokens.flatMap(({ key }) => [key, `${key}File`]), 'tokenFile']);
  return Object.keys(settings).filter((key) => keys.has(key));
}

/** A problem may name two accounts; it is about the one that it names first. */
function problemAt(path: string, problems: readonly string[]): string | undefined {
  const escaped = escapePattern(path);
  const named = new RegExp(`${escaped}(?!\\.accounts\\b)(?![\\w-])`);
  const places = problems
    .map((problem) => ({ problem, index: problem.search(named) }))
    .filter(({ index }) => index >= 0)
    .sort((a, b) => a.index - b.index);
  return places[0]?.problem;
}
