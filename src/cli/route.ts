// `atrium route`: the agent and the session that a message would reach, and the rules that decided, by the router's own
// code. Needs no running gateway.

import { loadConfig } from '../config/load-config.ts';
import { BadFlagError } from '../gateway/errors.ts';
import { routingSettingsOf } from '../gateway/routing-settings.ts';
import { DEFAULT_ACCOUNT_ID } from '../protocol/agent-id.ts';
import type { Peer } from '../protocol/inbound.ts';
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
      '--sender <id>': 'who wrote it (default: the peer of a direct message)',
      '--agent <id>': 'the agent that the message asks for itself, as an API client may',
      '--session <key>': 'the session that the message asks for itself, as a terminal may',
      ...CONFIG_OPTION,
    },
    examples: [
      'route explain --channel discord --peer 42',
      'route explain --channel slack --peer channel:C042 --thread 1714557600.1',
      'route explain --channel web --peer ana --session main',
    ],
    async run({ channel, peer, config: configPath, ...flags }, { io }) {
      const loaded = await loadConfig({ environment: io.environment, configPath });
      if (channel.trim() === '') {
        const expected = 'the name of a channel, such as discord';
        throw new BadFlagError({ flag: '--channel', value: channel, expected });
      }
      const { account: accountId = DEFAULT_ACCOUNT_ID, thread: threadId, sender = peer.id } = flags;
      const route = resolveRoute(routingSettingsOf(loaded.config), {
        surface: { channel, accountId, peer, threadId },
        sender: { id: sender },
        text: '',
        at: io.now().getTime(),
        agentId: flags.agent,
        sessionKey: flags.session,
      });
      writeWarnings(loaded, io);
      return { json: route, text: (width) => formatRoute(route, width) };
    },
  }),
];

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
