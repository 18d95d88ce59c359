// What the channels of chat platforms remember across restarts, as rows of the store. A write is lazy: it does not wait
// for the disk, because losing it only makes a channel read something twice.

import type { ChannelMemory } from '../../channels/channel-extension.ts';
import type { Say } from '../../protocol/log.ts';
import { oneLine } from '../../protocol/one-line.ts';
import type { Store } from '../../store/store.ts';

export interface ChannelMemoryParts {
  readonly store: Store;
  readonly now: () => number;
  readonly warn: Say;
}

export function channelMemory(channel: string, { store, now, warn }: ChannelMemoryParts): ChannelMemory {
  return {
    read: async (accountId, name) => {
      const [row] = await store.select('channelMemory', { where: { channel, accountId, name }, limit: 1 });
      return row?.value;
    },
    write: async (accountId, name, value) => {
      const row = { channel, accountId, name, value, at: now() };
      const writes = [
        { remove: 'channelMemory', where: { channel, accountId, name } },
        { insert: 'channelMemory', row },
      ] as const;
      await store.commit(writes, { site: 'channel-memory', lazy: true }).catch((error: unknown) => {
        warn(`${channel} could not note how far it has read: ${oneLine(error)}`, { channel });
      });
    },
  };
}
