// docs/delivery.md states the promise of each channel word for word, and has a row for each frame.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { DiscordChannel } from '../../extensions/discord/discord-channel.ts';
import { SlackChannel } from '../../extensions/slack/slack-channel.ts';
import { TelegramChannel } from '../../extensions/telegram/telegram-channel.ts';
import { createApiChannel } from './api/api-channel.ts';
import type { Channel } from './channel.ts';
import { CliChannel } from './cli/cli-channel.ts';
import type { ClientFrame } from './client-frame.ts';
import { parseClientFrame } from './parse-client-frame.ts';
import type { ServerFrame } from './server-frame.ts';
import type { SocketChannelPorts } from './socket-channel.ts';
import { WebChannel } from './web/web-channel.ts';

const docs = readFileSync(join(dirname(fileURLToPath(import.meta.url)), '../../docs/delivery.md'), 'utf8');
const ports: SocketChannelPorts = {
  mailbox: { history: async () => [], last: async () => undefined, withMore: async () => [] },
  stop: () => {},
  now: Date.now,
};
const parts = {
  accounts: [],
  commands: () => [],
  memory: { read: async () => undefined, write: async () => {} },
  now: Date.now,
  warn: () => {},
};
const channels: readonly Channel[] = [
  new WebChannel(ports),
  new CliChannel(ports),
  createApiChannel(),
  new DiscordChannel(parts),
  new SlackChannel(parts),
  new TelegramChannel(parts),
];

describe('docs/delivery.md', () => {
  it.each(channels.map((channel) => [channel.id, channel] as const))('states the promise of %s', (id, channel) => {
    const { level, because } = channel.guarantee;
    expect(docs).toContain(`| \`${id}\` | ${level} | ${because} |`);
  });

  it('has a row for every frame', () => {
    const client: Record<ClientFrame['type'], true> = {
      hello: true,
      message: true,
      ack: true,
      stop: true,
      call: true,
      watch: true,
      ping: true,
    };
    const server: Record<ServerFrame['type'], true> = {
      ready: true,
      accepted: true,
      part: true,
      'message-accepted': true,
      'run-start': true,
      'text-delta': true,
      'thought-delta': true,
      'text-reset': true,
      'tool-start': true,
      'tool-end': true,
      'approval-start': true,
      'approval-end': true,
      'wait-start': true,
      'wait-end': true,
      'child-start': true,
      'child-end': true,
      'limit-near': true,
      'run-end': true,
      'session-news': true,
      result: true,
      watching: true,
      changed: true,
      sample: true,
      error: true,
      pong: true,
    };
    for (const type of [...Object.keys(client), ...Object.keys(server)]) {
      expect(docs).toMatch(new RegExp(`^\\| (\`[a-z-]+\`, )*\`${type}\`[,| ]`, 'm'));
    }
    expect(parseClientFrame(JSON.stringify({ type: 'unknown' }), false)).toEqual({
      problem: `The "type" of a frame is one of ${Object.keys(client).join(', ')}.`,
    });
  });
});
