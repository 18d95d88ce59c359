// `atrium channels`: the chat platforms on which people reach the agents: which accounts there are, how they are, and how
// one is added, tried and removed. A token is asked for and never printed, is tried before it is written, and a running
// gateway takes the change up by itself.

import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountStatus } from '../channels/channel-capabilities.ts';
import type { AccountCheck } from '../channels/channel-extension.ts';
import { type ConfigPath, valueAt } from '../config/config-path.ts';
import { withConfigVariables } from '../config/config-variables.ts';
import { removeConfigValue, resolveConfigFileToEdit, setConfigValue } from '../config/edit-config.ts';
import { loadConfig } from '../config/load-config.ts';
import { isPlainObject } from '../config/plain-object.ts';
import { CHANNEL_EXTENSIONS, type ExtensionRow, type TokenFacts } from '../gateway/channels/channel-extensions.ts';
import {
  type ConfiguredAccount,
  type ConfiguredPlatform,
  listConfiguredAccounts,
  sectionOf,
  tokenKeysIn,
} from '../gateway/channels/list-configured-accounts.ts';
import type { GatewayStatus } from '../gateway/services/gateway-status.ts';
import { DEFAULT_ACCOUNT_ID, normalizeAccountId } from '../protocol/agent-id.ts';
import { nearMatch } from '../protocol/near-match.ts';
import { timeLimit } from '../protocol/time-limit.ts';
import type { CliIo } from './cli-io.ts';
import { type CliCommand, command } from './command.ts';
import {
  ChannelAccountExistsError,
  ChannelAccountUnknownError,
  ChannelTokenError,
  UnknownPlatformError,
} from './errors.ts';
import { askRunning, type GatewayClient, path } from './gateway/gateway-client.ts';
import { type Columns, formatTable, listText } from './output/format-table.ts';
import { formatTime } from './output/format-time.ts';
import { line } from './output/text.ts';

const CHECK_LIMIT_MS = 20_000;
/** How often, and with what pause, the gateway is asked whether an account has connected. */
const CONNECT_LOOKS = 40;
const CONNECT_PAUSE_MS = 250;
const MOST_FILES = 4;
const PLATFORM = { '<platform>': 'telegram, discord or slack' } as const;
const ACCOUNT = { '--account <id>': { text: 'which account of the platform', default: 'default' } } as const;

export const CHANNEL_COMMANDS: readonly CliCommand[] = [
  command({
    path: 'channels list',
    summary: 'list the accounts of chat platforms in the configuration',
    examples: ['channels list', 'channels list --json'],
    async run(_, { io }) {
      const { found, unsupported } = await readChannels(io);
      const accounts = found.flatMap(({ row, accounts }) =>
        accounts.map(({ accountId, state, problem }) => ({ platform: row.id, account: accountId, state, problem })),
      );
      const problems = found.flatMap(({ found: { problems } }) => problems);
      const columns: Columns<(typeof accounts)[number]> = {
        platform: (each) => each.platform,
        account: (each) => each.account,
        state: ({ state, problem }) => (problem === undefined ? state : `${state}: ${problem}`),
      };
      return {
        json: { accounts, problems, unsupported },
        text: listText(
          accounts,
          columns,
          `No chat platform is configured. Add one with: atrium channels add ${CHANNEL_EXTENSIONS[0]?.id ?? ''}`,
        ),
        warnings: [
          ...found.flatMap(({ remarks }) => remarks),
          ...unsupported.map(
            (id) => `channels.${id}: Atrium has no such channel, so nothing is received or sent there.`,
          ),
        ],
      };
    },
  }),
  command({
    path: 'channels status',
    summary: 'show how each account is, since when, and what to do about it',
    examples: ['channels status', 'channels status --json | jq \'.accounts[] | select(.state != "connected")\''],
    notes: 'Exit code: 1 when an account does not work.',
    needs: 'gateway',
    async run(_, { client, io }) {
      const { channels, warnings } = await client.get<GatewayStatus>('/api/status');
      const accounts = channels.flatMap(({ id, accounts = [] }) => accounts.map((each) => ({ platform: id, ...each })));
      const problems = warnings.filter((each) => each.startsWith('channels.'));
      return {
        json: { accounts, problems },
        text: (width) =>
          accounts.length === 0
            ? line('No chat platform is connected. Add one with: atrium channels add telegram')
            : formatTable(accounts, statusColumns(io), width) + nextSteps(accounts),
        warnings: problems,
        ok: problems.length === 0 && accounts.every(({ state }) => state !== 'failed'),
      };
    },
  }),
  command({
    path: 'channels add',
    summary:
      'add an account of a chat platform: asks for its tokens, tries them, and writes them into the configuration',
    args: PLATFORM,
    options: {
      ...ACCOUNT,
      '--no-check': 'do not ask the platform',
    },
    examples: ['channels add telegram', 'channels add slack --account work', 'channels add discord < token.txt'],
    notes:
      'Tokens are read from standard input, one a line, or asked for. They are not shown while they are typed, and are never taken from the command line, where other people of the machine could read them.',
    async run({ platform, account, check }, { io, say }) {
      const row = platformOf(platform);
      const accountId = normalizeAccountId(account);
      const { accounts, found } = await findIn(await readConfig(io), row);
      // Settings without any token are no account yet, only what one begins with.
      const isThere = (each: ConfiguredAccount) => each.tokenKeys.length > 0 || inUse(found.accounts, each.accountId);
      if (accounts.some((each) => each.accountId === accountId && isThere(each))) {
        throw new ChannelAccountExistsError({ platform: row.id, account: accountId });
      }
      return writeAccount(io, say, { row, accountId, check });
    },
  }),
  command({
    path: 'channels login',
    summary: 'give an account new tokens, such as after the old ones were revoked',
    args: PLATFORM,
    options: {
      ...ACCOUNT,
      '--no-check': 'do not ask the platform',
    },
    examples: ['channels login telegram', 'channels login slack --account work'],
    async run({ platform, account, check }, { io, say }) {
      const row = platformOf(platform);
      const { accountId } = knownAccount(row, await findIn(await readConfig(io), row), account);
      return writeAccount(io, say, { row, accountId, check });
    },
  }),
  command({
    path: 'channels test',
    summary: 'ask the platform whether it takes the tokens of an account, and what is missing; sends no message',
    args: PLATFORM,
    options: ACCOUNT,
    examples: ['channels test telegram', 'channels test slack --account work --json'],
    notes: 'Exit code: 0 when it works, 1 when it does not.',
    async run({ platform, account }, { io }) {
      const row = platformOf(platform);
      const read = await readConfig(io);
      const { accountId, at } = knownAccount(row, await findIn(read, row), account);
      const checked = await checkAccount(row, switchedOn(read, row, at), accountId);
      return {
        json: { platform: row.id, account: accountId, ...checked },
        text: describeCheck(row, accountId, checked),
        ok: checked.outcome === 'ok',
      };
    },
  }),
  command({
    path: 'channels remove',
    summary: 'take an account out of the configuration, with its tokens and settings',
    args: PLATFORM,
    options: { ...ACCOUNT, '--disable': 'keep its settings and only switch it off' },
    examples: ['channels remove telegram', 'channels remove slack --account work --disable'],
    async run({ platform, account, disable }, { io, say }) {
      const row = platformOf(platform);
      const config = await readConfig(io);
      const platformBefore = await findIn(config, row);
      const { accountId, at } = knownAccount(row, platformBefore, account);
      const others = platformBefore.accounts.filter((each) => each.accountId !== accountId);
      const file = await resolveConfigFileToEdit({ environment: io.environment }, at);
      if (disable) {
        // Switching off the section would switch off the accounts below it too.
        const entry = at.length === 2 && others.length > 0 ? [...at, 'accounts', accountId] : at;
        await setConfigValue(file, [...entry, 'enabled'], false);
      } else {
        for (const each of settingsOf(config.config, row, { accountId, at }, others.length > 0)) {
          await removeEverywhere(io, each);
        }
      }
      const left = (await findIn(await readConfig(io), row)).accounts.find((each) => each.accountId === accountId);
      const isDone = disable ? left?.state !== 'on' : left === undefined;
      if (isDone) say(`${row.name} (${accountId}) is ${disable ? 'switched off' : 'removed'}.`);
      await sayTakenUp(io, say);
      return {
        json: { platform: row.id, account: accountId, file, removed: !disable && isDone },
        warnings: isDone
          ? []
          : [
              `${row.name} (${accountId}) is still there: a variable, a file that is included, or the section channels.${row.id} has a token for it.`,
            ],
        ok: isDone,
      };
    },
  }),
];

/** The platforms that no account is configured for. */
export async function listFreePlatforms(io: CliIo): Promise<readonly ExtensionRow[]> {
  const { found } = await readChannels(io);
  return found.filter(({ accounts }) => accounts.length === 0).map(({ row }) => row);
}

/** Asks the platform about tokens that are written nowhere yet. Returns what is wrong with them. */
export async function checkNewAccount(
  io: CliIo,
  row: ExtensionRow,
  tokens: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const read = await readConfig(io);
  const at: ConfigPath = ['channels', row.id];
  const draft = { ...read, config: withSettings(read.config, at, tokens) };
  const checked = await checkAccount(row, switchedOn(draft, row, at), DEFAULT_ACCOUNT_ID);
  if (checked.outcome === 'ok') return undefined;
  return `${checked.reason} ${checked.outcome === 'refused' ? checked.nextStep : ''}`.trimEnd();
}

interface ReadConfig {
  readonly config: Awaited<ReturnType<typeof loadConfig>>['config'];
  readonly environment: CliIo['environment'];
}

async function readConfig(io: CliIo): Promise<ReadConfig> {
  const loaded = await loadConfig({ environment: io.environment });
  return { config: loaded.config, environment: withConfigVariables(io.environment, loaded) };
}

function findIn({ config, environment }: ReadConfig, row: ExtensionRow): Promise<ConfiguredPlatform> {
  return listConfiguredAccounts(row, config, environment);
}

function inUse(accounts: readonly { readonly accountId: string }[], accountId: string): boolean {
  return accounts.some((each) => each.accountId === accountId);
}

async function readChannels(io: CliIo) {
  const read = await readConfig(io);
  const found = await Promise.all(CHANNEL_EXTENSIONS.map(async (row) => ({ row, ...(await findIn(read, row)) })));
  const section = read.config.channels;
  const named = isPlainObject(section) ? Object.keys(section) : [];
  const known = new Set<string>([...CHANNEL_EXTENSIONS.map(({ id }) => id), 'defaults', 'modelByChannel']);
  return { found, unsupported: named.filter((id) => !known.has(id)) };
}

function platformOf(given: string): ExtensionRow {
  const row = CHANNEL_EXTENSIONS.find(({ id }) => id === given.trim().toLowerCase());
  if (row) return row;
  const known = CHANNEL_EXTENSIONS.map(({ id }) => id);
  throw new UnknownPlatformError({ platform: given, known, suggestion: nearMatch(given, known) });
}

function knownAccount(row: ExtensionRow, { accounts }: ConfiguredPlatform, given: string): ConfiguredAccount {
  const accountId = normalizeAccountId(given);
  const account = accounts.find((each) => each.accountId === accountId);
  if (account) return account;
  const known = accounts.map((each) => each.accountId);
  throw new ChannelAccountUnknownError({ platform: row.id, account: accountId, known });
}

/** Where the settings of an account are or will be: the section itself for `default`, else an entry below `accounts`. */
function accountPath({ accounts }: ConfiguredPlatform, { id }: ExtensionRow, accountId: string): ConfigPath {
  const known = accounts.find((each) => each.accountId === accountId);
  if (known) return known.at;
  return accountId === DEFAULT_ACCOUNT_ID ? ['channels', id] : ['channels', id, 'accounts', accountId];
}

/** What has to go so that the account is gone. The section stays with all that it says while it has other accounts. */
function settingsOf(
  config: object,
  row: ExtensionRow,
  { accountId, at }: Pick<ConfiguredAccount, 'accountId' | 'at'>,
  hasOthers: boolean,
): readonly ConfigPath[] {
  if (!hasOthers) return [['channels', row.id]];
  const section = sectionOf(config, row.id) ?? {};
  const ownTokens = tokenKeysIn(section, row).map((key) => ['channels', row.id, key]);
  if (at.length === 2) return ownTokens;
  const entry = isPlainObject(section.accounts) ? section.accounts[String(at.at(-1))] : undefined;
  const isTokenOfSection =
    accountId === DEFAULT_ACCOUNT_ID && tokenKeysIn(isPlainObject(entry) ? entry : {}, row).length === 0;
  return isTokenOfSection ? [at, ...ownTokens] : [at];
}

/** Two files may have the same setting, and the one that is left would count. */
async function removeEverywhere(io: CliIo, at: ConfigPath): Promise<void> {
  for (let files = 0; files < MOST_FILES; files++) {
    const file = await resolveConfigFileToEdit({ environment: io.environment }, at);
    if (!(await removeConfigValue(file, at))) return;
  }
}

async function writeAccount(
  io: CliIo,
  say: (text: string) => void,
  { row, accountId, check }: { readonly row: ExtensionRow; readonly accountId: string; readonly check: boolean },
) {
  const read = await readConfig(io);
  const before = await findIn(read, row);
  const at = accountPath(before, row, accountId);
  const file = await resolveConfigFileToEdit({ environment: io.environment }, at);
  const tokens: [TokenFacts, string][] = [];
  for (const facts of row.tokens) tokens.push([facts, await askToken(io, row, facts)]);
  const settings = Object.fromEntries(tokens.map(([{ key }, token]) => [key, token]));
  refuseTokenOfOther(row, read, before, accountId, settings);
  let notes: readonly string[] = [];
  if (check) {
    say(`Asking ${row.name} about the account ...`);
    const config = withSettings(read.config, at, settings);
    const checked = await checkAccount(row, switchedOn({ ...read, config }, row, at), accountId);
    if (checked.outcome !== 'ok') {
      const key = row.tokens.map((each) => each.key).join(' or ');
      const advice =
        checked.outcome === 'refused' ? checked.nextStep : 'Try again, or use --no-check to write it all the same.';
      throw new ChannelTokenError({ key, problem: `${checked.reason} ${advice}`.trimEnd() });
    }
    say(`${row.name} knows it as ${checked.name}.`);
    notes = checked.notes;
  }
  for (const [key, token] of Object.entries(settings)) await setConfigValue(file, [...at, key], token);
  // An account that was switched off is wanted again.
  await setConfigValue(file, [...at, 'enabled'], true);
  say(`Wrote ${at.join('.')} into ${file}.`);
  const written = (await findIn(await readConfig(io), row)).accounts.find((each) => each.accountId === accountId);
  if (written?.state !== 'on') {
    const reason = written?.problem ?? `channels.${row.id}.enabled is false, which switches off all of its accounts.`;
    return {
      json: { platform: row.id, account: accountId, file, notes },
      warnings: [...notes, `${row.name} (${accountId}) is not connected: ${reason}`],
    };
  }
  const trouble = await connect(io, say, row, accountId);
  if (trouble !== undefined) {
    return { json: { platform: row.id, account: accountId, file, notes }, warnings: [...notes, trouble] };
  }
  say(
    `Now write to the bot on ${row.name}. It answers with a code; approve it with: atrium pairing approve ${row.id} CODE`,
  );
  return { json: { platform: row.id, account: accountId, file, notes }, warnings: notes };
}

async function askToken(io: CliIo, row: ExtensionRow, { key, from, form }: TokenFacts): Promise<string> {
  const token = await io.ask(`${row.name}, ${key} (${from}): `, true);
  if (!token) throw new ChannelTokenError({ key, problem: `it is missing. It is ${from}.` });
  if (!form.test(token)) throw new ChannelTokenError({ key, problem: `it does not look like one. It is ${from}.` });
  return token;
}

function withSettings(config: ReadConfig['config'], at: ConfigPath, settings: object): ReadConfig['config'] {
  const put = (value: unknown, [first, ...rest]: ConfigPath): unknown => {
    const object = isPlainObject(value) ? value : {};
    return first === undefined
      ? { ...object, ...settings, enabled: true }
      : { ...object, [first]: put(object[first], rest) };
  };
  return put(config, at) as ReadConfig['config'];
}

/** The configuration in which this account is not switched off, so that it can be tried before it is switched on. */
function switchedOn(read: ReadConfig, row: ExtensionRow, at: ConfigPath): ReadConfig {
  const config = withSettings(withSettings(read.config, ['channels', row.id], {}), at, {});
  return { ...read, config };
}

/** One bot can be connected once. Of several tokens, the first is the one that says which bot it is. */
function refuseTokenOfOther(
  row: ExtensionRow,
  { config }: ReadConfig,
  { accounts, found }: ConfiguredPlatform,
  accountId: string,
  settings: Readonly<Record<string, string>>,
): void {
  const key = row.tokens[0]?.key;
  if (key === undefined) return;
  const token = settings[key];
  const used = found.accounts.find((each) => each.accountId !== accountId && Object.values(each).includes(token));
  // An account that is switched off has it too.
  const written = accounts.find((each) => each.accountId !== accountId && valueAt(config, [...each.at, key]) === token);
  const other = used?.accountId ?? written?.accountId;
  if (other === undefined) return;
  throw new ChannelTokenError({
    key,
    problem: `the account "${other}" of ${row.name} has the same one, and one bot can be connected once. Make another bot for this account.`,
  });
}

async function checkAccount(row: ExtensionRow, read: ReadConfig, accountId: string): Promise<AccountCheck> {
  const { found, accounts } = await findIn(read, row);
  const problem = accounts.find((each) => each.accountId === accountId)?.problem;
  if (problem !== undefined) return { outcome: 'refused', reason: problem, nextStep: '' };
  const limit = timeLimit(CHECK_LIMIT_MS, () => new Error('the platform did not answer in time'));
  try {
    const extension = await found.load();
    return await extension.check(accountId, limit.signal);
  } finally {
    limit.clear();
  }
}

function describeCheck(row: ExtensionRow, accountId: string, checked: AccountCheck): string {
  const account = `${row.name} (${accountId})`;
  if (checked.outcome === 'ok') {
    return [`${account} works: the bot is ${checked.name}.`, ...checked.notes].map(line).join('');
  }
  if (checked.outcome === 'refused')
    return line(`${account} does not work: ${checked.reason} ${checked.nextStep}`.trimEnd());
  return line(`${account} could not be asked: ${checked.reason}`);
}

async function sayTakenUp(io: CliIo, say: (text: string) => void): Promise<void> {
  const isRunning = await askRunning(io, (client) => client.get<GatewayStatus>('/api/status'));
  say(
    isRunning
      ? 'The running gateway takes it up now. See: atrium channels status'
      : 'It takes effect when the gateway is started: atrium start',
  );
}

/** Lets a running gateway connect the account, says what came of it, and returns what is wrong. */
async function connect(
  io: CliIo,
  say: (text: string) => void,
  row: ExtensionRow,
  accountId: string,
): Promise<string | undefined> {
  const account = `${row.name} (${accountId})`;
  const status = await askRunning(io, async (client) => {
    const before = await accountStatus(client, row, accountId);
    // New settings have made a new connection. With the same ones, an account that gave up is tried again only on demand.
    if (before?.state !== 'connected' && before?.state !== 'connecting') {
      await client.post(path`/api/channels/${row.id}/reopen`);
    }
    return (await settledStatus(client, row, accountId)) ?? 'unknown';
  });
  if (status === undefined) {
    say('It takes effect when the gateway is started: atrium start');
    return undefined;
  }
  if (status === 'unknown') return `The running gateway does not have ${account}. See: atrium status`;
  const { state, name, detail = '', nextStep = '' } = status;
  if (state === 'connected') say(`The running gateway is connected to ${row.name}${name ? ` as ${name}` : ''}.`);
  else if (state === 'connecting') say('The running gateway is still connecting. See: atrium channels status');
  else return `In the running gateway, ${account} is ${state}. ${detail} ${nextStep}`.replace(/ +/g, ' ').trimEnd();
  return undefined;
}

async function accountStatus(
  client: GatewayClient,
  { id }: ExtensionRow,
  accountId: string,
): Promise<AccountStatus | undefined> {
  const { channels } = await client.get<GatewayStatus>('/api/status');
  return channels.find((each) => each.id === id)?.accounts?.find((each) => each.accountId === accountId);
}

async function settledStatus(client: GatewayClient, row: ExtensionRow, accountId: string) {
  let status = await accountStatus(client, row, accountId);
  for (let look = 1; look < CONNECT_LOOKS && status?.state === 'connecting'; look++) {
    await sleep(CONNECT_PAUSE_MS);
    status = await accountStatus(client, row, accountId);
  }
  return status;
}

type ShownAccount = AccountStatus & { readonly platform: string };

function statusColumns({ environment }: CliIo): Columns<ShownAccount> {
  return {
    platform: (each) => each.platform,
    account: (each) => each.accountId,
    bot: (each) => each.name ?? '',
    state: (each) => each.state,
    since: (each) => (each.since === undefined ? '' : formatTime(each.since, environment.timezone)),
    detail: (each) => each.detail ?? '',
  };
}

function nextSteps(accounts: readonly ShownAccount[]): string {
  return accounts
    .flatMap(({ platform, accountId, nextStep }) => (nextStep ? [line(`${platform} (${accountId}): ${nextStep}`)] : []))
    .join('');
}
