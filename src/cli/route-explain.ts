// `atrium route explain`: the agent and the session that a message would reach, and the rules that decided, by the
// router's own code. Needs no running gateway.

import { loadConfig } from '../config/load-config.ts';
import { BadFlagError } from '../gateway/errors.ts';
import { routingSettingsOf } from '../gateway/routing-settings.ts';
import { DEFAULT_ACCOUNT_ID } from '../protocol/agent-id.ts';
import type { Inbound, Peer } from '../protocol/inbound.ts';
import { type Route, resolveRoute } from '../routing/resolve-route.ts';
import type { AddCommand } from './commands.ts';
import { oneLine, outputWidth, wrapText } from './output/format-table.ts';
import { writeWarnings } from './output/warnings.ts';
import { routeGroup } from './route-group.ts';

interface RouteExplainFlags {
  readonly channel: string;
  readonly peer: string;
  readonly account?: string;
  readonly thread?: string;
  readonly sender?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly config?: string;
  readonly json?: boolean;
}

export const addRouteExplain: AddCommand = (program, io) => {
  routeGroup(program)
    .command('explain')
    .description('print the session that a message would go to, and the rule that decided')
    .requiredOption('--channel <name>', 'the channel that the message comes from, such as discord')
    .requiredOption('--peer <[kind:]id>', 'whom it is addressed to: direct:ID (the default), group:ID or channel:ID')
    .option('--account <id>', 'the account of the channel (default: the default account)')
    .option('--thread <id>', 'the thread that it stands in')
    .option('--sender <id>', 'who wrote it (default: the peer of a direct message)')
    .option('--agent <id>', 'the agent that the message asks for itself, as an API client may')
    .option('--session <key>', 'the session that the message asks for itself, as a terminal may')
    .option('--config <file>', 'read this configuration file only')
    .option('--json', 'print JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  $ atrium route explain --channel discord --peer 42
  $ atrium route explain --channel slack --peer channel:C042 --thread 1714557600.1
  $ atrium route explain --channel web --peer ana --session main`,
    )
    .action(async (flags: RouteExplainFlags) => {
      const loaded = await loadConfig({ environment: io.environment, configPath: flags.config });
      const route = resolveRoute(routingSettingsOf(loaded.config), toInbound(flags, io.now()));
      io.out(flags.json ? `${JSON.stringify(route, null, 2)}\n` : formatRoute(route, outputWidth(io)));
      writeWarnings(loaded, { warnings: [] }, io);
    });
};

function toInbound(flags: RouteExplainFlags, now: Date): Inbound {
  const peer = parsePeer(flags.peer);
  const { channel, account: accountId = DEFAULT_ACCOUNT_ID, thread: threadId } = flags;
  if (channel.trim() === '')
    throw new BadFlagError({ flag: '--channel', value: channel, expected: 'the name of a channel, such as discord' });
  return {
    surface: { channel, accountId, peer, threadId },
    sender: { id: flags.sender ?? peer.id },
    text: '',
    at: now.getTime(),
    agentId: flags.agent,
    sessionKey: flags.session,
  };
}

/** Ids may hold colons themselves, so only a known kind in front of the first one counts. */
function parsePeer(text: string): Peer {
  const match = /^(?:(direct|dm|group|channel):)?(.*)$/is.exec(text.trim());
  const kind = match?.[1]?.toLowerCase() ?? 'direct';
  const id = match?.[2]?.trim() ?? '';
  if (id === '')
    throw new BadFlagError({
      flag: '--peer',
      value: text,
      expected: 'a person, group or channel, such as 42, group:7 or channel:C042',
    });
  return { kind: kind === 'group' || kind === 'channel' ? kind : 'direct', id };
}

function formatRoute({ agentId, sessionKey, parentSessionKey, rules }: Route, width: number): string {
  const facts = [
    ['session', sessionKey],
    ['agent', agentId],
    ...(parentSessionKey === undefined ? [] : [['parent', parentSessionKey]]),
  ];
  return [
    ...facts.map(([name = '', value = '']) => `${name.padEnd(8)} ${oneLine(value)}`),
    '',
    ...rules.map((rule) => `- ${wrapText(oneLine(rule), width - 2).join('\n  ')}`),
  ]
    .map((line) => `${line}\n`)
    .join('');
}
