// Terminals on this machine. They share one surface unless they ask for another one, because the same person uses all
// of them.

import { SocketChannel, type SocketChannelPorts } from '../socket-channel.ts';

/** The surface of a terminal that names none. */
export const TERMINAL_SURFACE = 'local';

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
        defaultSurface: () => TERMINAL_SURFACE,
      },
      ports,
    );
  }
}
