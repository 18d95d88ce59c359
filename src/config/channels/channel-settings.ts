// What the sections `channels.<platform>` have in common: the keys of an account, and how the accounts of a section are
// found. A section may hold the settings of one account itself, or name several under `accounts`; what an account does
// not set, it takes from the section.

import { z } from 'zod';
import { normalizeAccountId } from '../../protocol/agent-id.ts';
import { flag, oneOf, positive, shared, text, wholeNumber } from '../schema-kinds.ts';

export const people = () =>
  z.array(z.union([z.string(), z.number()]), { error: 'a list of ids' }).transform((list) => list.map(String));

export const DM_POLICIES = ['pairing', 'allowlist', 'open', 'disabled'] as const;
export const GROUP_POLICIES = ['open', 'allowlist', 'disabled'] as const;
export const STREAMING_MODES = ['off', 'partial', 'block', 'progress'] as const;
export const REPLY_TO_MODES = ['off', 'first', 'all'] as const;
/** OpenClaw also has "batched". Messages are not gathered into batches here, so it never applies. */
export const replyModes = () => oneOf([...REPLY_TO_MODES, 'batched']);

export type StreamingMode = (typeof STREAMING_MODES)[number];
export type ReplyToMode = (typeof REPLY_TO_MODES)[number];

const streaming = z
  .union([oneOf(STREAMING_MODES), flag(), shared({ mode: oneOf(STREAMING_MODES).optional() })], {
    error: 'one of "off", "partial", "block", "progress"',
  })
  .optional()
  .describe('What people see of an answer while it is written: "off", "partial", "block" or "progress".');

/** The keys that an account has on every platform. */
export const accountKeys = {
  enabled: flag().optional().describe('Default true.'),
  name: text().optional().describe('A name for the operator.'),
  dmPolicy: oneOf(DM_POLICIES)
    .optional()
    .describe('Who may write direct messages: "pairing", "allowlist", "open" or "disabled". Default "pairing".'),
  allowFrom: people().optional().describe('The people who may write direct messages, by their ids; "*" is everybody.'),
  groupPolicy: oneOf(GROUP_POLICIES)
    .optional()
    .describe('In which groups the agent answers: "open", "allowlist" or "disabled". Default "allowlist".'),
  groupAllowFrom: people().optional().describe('The people whom the agent answers in groups. Default: `allowFrom`.'),
  dangerouslyAllowNameMatching: flag()
    .optional()
    .describe('Whether the lists of people may hold user names, which their owners can change. Default false.'),
  streaming,
  replyToMode: replyModes()
    .optional()
    .describe('Whether answers quote the message that they answer: "off", "first" or "all" parts.'),
  responsePrefix: text().optional().describe('What stands before answers, instead of messages.responsePrefix.'),
  mediaMaxMb: positive().optional().describe('The largest file that is taken or sent, in megabytes.'),
  textChunkLimit: wholeNumber(100, 40_000).optional().describe('The longest message that is sent, in characters.'),
};

export interface FoundAccount<Settings> {
  readonly accountId: string;
  /** With what the section sets for all accounts. */
  readonly settings: Settings;
  /** Where an operator finds it: `channels.telegram` or `channels.telegram.accounts.work`. */
  readonly path: string;
}

export function replyModeOf(mode: ReplyToMode | 'batched' = 'off'): ReplyToMode {
  return mode === 'batched' ? 'off' : mode;
}

/** What an account has of its own, over what its section says for all. */
export type MergeAccount<Settings> = (shared: Settings, own: Partial<Settings>, isOneOfSeveral: boolean) => Settings;

/** What an account says in an older way counts before what the section says in the newer one. */
export function mergeAccount<Settings>(shared: Settings, own: Partial<Settings>): Settings {
  const { dmPolicy, allowFrom, dm, botLoopProtection } = own as AccountParts;
  const { botLoopProtection: sharedLoop } = shared as AccountParts;
  return {
    ...shared,
    ...own,
    ...(dmPolicy === undefined && dm?.policy !== undefined && { dmPolicy: dm.policy }),
    ...(allowFrom === undefined && dm?.allowFrom !== undefined && { allowFrom: dm.allowFrom }),
    ...(botLoopProtection && sharedLoop && { botLoopProtection: { ...sharedLoop, ...botLoopProtection } }),
  };
}

interface AccountParts {
  readonly dmPolicy?: string | undefined;
  readonly allowFrom?: readonly string[] | undefined;
  readonly dm?:
    | { readonly policy?: string | undefined; readonly allowFrom?: readonly string[] | undefined }
    | undefined;
  readonly botLoopProtection?: object | undefined;
}

/**
 * The accounts of a section that are not switched off. The section itself is the account `default` when it has tokens of
 * its own, or when it names no other account.
 */
export function findAccounts<Settings extends { readonly enabled?: boolean | undefined }>(
  platform: string,
  section: (Settings & { readonly accounts?: Readonly<Record<string, Settings>> | undefined }) | undefined,
  hasTokens: (settings: Settings) => boolean,
  merge: MergeAccount<Settings> = mergeAccount,
): readonly FoundAccount<Settings>[] {
  if (!section || section.enabled === false) return [];
  const { accounts = {}, ...own } = section;
  const shared = own as unknown as Settings;
  const isOneOfSeveral = Object.keys(accounts).length > 1;
  const named = Object.entries(accounts).map(([id, settings]) => ({
    accountId: normalizeAccountId(id),
    settings: merge(shared, settings, isOneOfSeveral),
    path: `channels.${platform}.accounts.${id}`,
  }));
  const isNamed = named.some(({ accountId }) => accountId === DEFAULT_ACCOUNT);
  const itself = {
    accountId: DEFAULT_ACCOUNT,
    settings: merge(shared, {}, isOneOfSeveral),
    path: `channels.${platform}`,
  };
  const all = !isNamed && (hasTokens(shared) || named.length === 0) ? [itself, ...named] : named;
  return all.filter(({ settings }) => settings.enabled !== false);
}

export const DEFAULT_ACCOUNT = 'default';

export function streamingModeOf(value: z.infer<typeof streaming>, otherwise: StreamingMode): StreamingMode {
  if (typeof value === 'boolean') return value ? 'partial' : 'off';
  if (typeof value === 'string') return value;
  return value?.mode ?? otherwise;
}

export function mapValues<Value, Result>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value, key: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}
