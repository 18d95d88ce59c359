// Terminals on this machine. They share one surface unless they ask for another: it is one person who sits before them.

import { SocketChannel, type SocketChannelPorts } from '../socket-channel.ts';

export class CliChannel extends SocketChannel {
  constructor(ports: SocketChannelPorts) {
    super(
      {
        id: 'cli',
        guarantee: {
          level: 'exactly-once',
          because: 'answers stay in the outbox under a number, and a terminal prints each number once',
        },
        maxTextLength: 32_000,
        defaultSurface: () => 'local',
      },
      ports,
    );
  }
}
