// `atrium route`: the agent and the session that a message would reach, and the rules that decided, by the router's own
// code. Needs no running gateway; for a message in a thread the store is read, because the thread may have been opened for
// a subagent.

import { loadConfig } from '../config/load-config.ts';
import type { Config } from '../config/schema.ts';
import { storePlaceOf } from '../config/store-place.ts';
import { CHANNEL_EXTENSIONS } from '../gateway/channels/channel-extensions.ts';
import { openForReading } from '../gateway/composer/open-for-reading.ts';
import { BadFlagError } from '../gateway/errors.ts';
import { routeInbound } from '../gateway/inbound/route-inbound.ts';
import { routingSettingsOf } from '../gateway/settings/routing-settings.ts';
import { DEFAULT_ACCOUNT_ID } from '../protocol/agent-id.ts';
import type { Inbound, Peer } from '../protocol/inbound.ts';
import { nearMatch } from '../protocol/near-match.ts';
import type { StorePlace } from '../protocol/store-place.ts';
import { type Route, resolveRoute } from '../routing/resolve-route.ts';
import { type CliCommand, command } from './command.ts';
import { CONFIG_OPTION } from './common-options.ts';
import { formatFacts } from './output/format-table.ts';
import { oneLine, wrapText } from './output/text.ts';
import { writeWarnings } from './output/warnings.ts';

export const ROUTE_COMMANDS: readonly CliCommand[] = [
  command({
    path: 'route explain',
    summary: 'print the session that a message would go to, and the rule that decided',
    options: {
      '--channel <name>': { text: 'the channel that the message comes from, such as discord', isRequired: true },
      '--peer <[kind:]id>': {
        text: 'the place that it is sent to: direct:ID (the default), group:ID or channel:ID',
        isRequired: true,
        parse: parsePeer,
      },
      '--account <id>': 'the account of the channel (default: the default account)',
      '--thread <id>': 'the thread that it stands in',
      '--guild <id>': 'the server of Discord that it comes from',
      '--team <id>': 'the workspace of Slack that it comes from',
      '--role <id>': { text: 'a role of the sender on that server; may be given several times', isList: true },
      '--sender <id>': 'who wrote it (default: the peer of a direct message)',
      '--agent <id>': 'the agent that the message asks for itself, as an API client may',
      '--session <key>': 'the session that the message asks for itself, as a terminal may',
      ...CONFIG_OPTION,
    },
    examples: [
      'route explain --channel discord --peer 42',
      'route explain --channel slack --peer channel:C042 --thread 1714557600.1',
      'route explain --channel discord --peer channel:7 --guild 123 --role 456',
      'route explain --channel web --peer ana --session main',
    ],
    async run({ channel, peer, config: configPath, ...flags }, { io }) {
      const loaded = await loadConfig({ environment: io.environment, configPath });
      if (channel.trim() === '') {
        const expected = 'the name of a channel, such as discord';
        throw new BadFlagError({ flag: '--channel', value: channel, expected });
      }
      const { account: accountId = DEFAULT_ACCOUNT_ID, thread: threadId, sender = peer.id } = flags;
      const space = flags.guild ?? flags.team;
      const inbound: Inbound = {
        surface: { channel, accountId, peer, ...(threadId === undefined ? {} : { threadId }) },
        sender: { id: sender },
        ...(space !== undefined && { space: { id: space, senderRoles: flags.role } }),
        text: '',
        at: io.now().getTime(),
        agentId: flags.agent,
        sessionKey: flags.session,
      };
      const byConfig = (asked: Inbound) => resolveRoute(routingSettingsOf(loaded.config), asked);
      const route =
        threadId === undefined
          ? byConfig(inbound)
          : await routeInThread(inbound, byConfig, storePlaceOf(io.environment, loaded.config));
      writeWarnings(loaded, io);
      const warnings = unknownChannel(channel, loaded.config);
      return { json: route, text: (width) => formatRoute(route, width), warnings };
    },
  }),
];

/** A plugin may bring a channel of any name, so an unknown one is explained all the same. */
function unknownChannel(channel: string, config: Config): readonly string[] {
  const bound = (config.bindings ?? []).flatMap(({ match }) => match?.channel ?? []);
  const set = Object.keys(config.channels ?? {}).filter((name) => name !== 'defaults');
  const own = ['web', 'cli', 'api', ...CHANNEL_EXTENSIONS.map(({ id }) => id)];
  const known = [...new Set([...own, ...set, ...bound])];
  if (known.includes(channel)) return [];
  const meant = nearMatch(channel, known);
  const hint = meant === undefined ? `Known here: ${known.join(', ')}.` : `Did you mean "${meant}"?`;
  return [oneLine(`warning: No channel here is called ${JSON.stringify(channel)}, unless a plugin brings it. ${hint}`)];
}

async function routeInThread(inbound: Inbound, route: (inbound: Inbound) => Route, place: StorePlace): Promise<Route> {
  const store = await openForReading(place);
  try {
    return await routeInbound({ store, route }, inbound);
  } finally {
    await store.close();
  }
}

/** Ids may hold colons themselves, so only a known kind in front of the first one counts. */
function parsePeer(text: string): Peer {
  const match = /^(?:(direct|dm|group|channel):)?(.*)$/is.exec(text.trim());
  const kind = match?.[1]?.toLowerCase() ?? 'direct';
  const id = match?.[2]?.trim() ?? '';
  if (id === '') {
    const expected = 'a person, group or channel, such as 42, group:7 or channel:C042';
    throw new BadFlagError({ flag: '--peer', value: text, expected });
  }
  return { kind: kind === 'group' || kind === 'channel' ? kind : 'direct', id };
}

function formatRoute({ agentId, sessionKey, parentSessionKey, rules }: Route, width: number): string {
  const facts = formatFacts([
    ['session', sessionKey],
    ['agent', agentId],
    ['parent', parentSessionKey],
  ]);
  return `${facts}\n${rules.map((rule) => `- ${wrapText(oneLine(rule), width - 2).join('\n  ')}\n`).join('')}`;
}
