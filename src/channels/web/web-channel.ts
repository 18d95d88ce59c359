// Browser tabs. A browser keeps the name of its surface, so that a reload or a second tab shows the same conversation.

import { randomUUID } from 'node:crypto';
import { pageSurface } from '../../protocol/page-surface.ts';
import { SocketChannel, type SocketChannelPorts } from '../socket-channel.ts';

export class WebChannel extends SocketChannel {
  constructor(ports: SocketChannelPorts) {
    super(
      {
        id: 'web',
        guarantee: {
          level: 'exactly-once',
          because:
            'answers stay in the outbox under a number, and a page asks for those it missed and drops those it has',
        },
        maxTextLength: 100_000,
        attachments: { maxBytes: LARGEST_FILE },
        defaultSurface: () => randomUUID(),
        sharedSurface: pageSurface,
      },
      ports,
    );
  }
}

/** A page fetches a file when it is looked at, so that the size hardly matters. */
const LARGEST_FILE = 1_073_741_824;
