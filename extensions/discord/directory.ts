// The conversations that an account could write to: the channels of its servers, and the people who have written to it.
// Discord lists servers and channels; direct conversations are those that this process or an earlier one has seen.

import type { ActionOutcome, DirectoryEntry, DirectoryRequest } from '../../src/channels/channel-capabilities.ts';
import { actionOutcomeOf } from './discord-failure.ts';
import type { LiveAccount } from './live-account.ts';

const MOST_GUILDS = 25;

export async function listPeers(
  live: LiveAccount,
  { query = '', limit }: DirectoryRequest,
  signal: AbortSignal,
): Promise<ActionOutcome<readonly DirectoryEntry[]>> {
  const { api, places, progress, people } = live;
  try {
    for (const { id, name } of (await api.myGuilds(signal)).slice(0, MOST_GUILDS)) {
      places.learnGuild({ id, name });
      for (const channel of await api.guildChannels(id, signal)) places.learn(channel, id);
    }
    for (const channelId of progress.dms) await places.find(channelId);
    const entries = places.list().flatMap((place): DirectoryEntry[] => {
      const { recipientId, isThread, hasThreads, isForum, id, name } = place;
      if (recipientId !== undefined) {
        return [{ peer: { kind: 'direct', id: recipientId }, ...named(people.get(recipientId)) }];
      }
      return !isThread && (hasThreads || isForum) ? [{ peer: { kind: 'channel', id }, ...named(name) }] : [];
    });
    const wanted = query.toLowerCase();
    const fits = ({ peer, name = '' }: DirectoryEntry) =>
      peer.id.includes(wanted) || name.toLowerCase().includes(wanted);
    return { outcome: 'done', value: entries.filter(fits).slice(0, limit) };
  } catch (error) {
    return actionOutcomeOf(error);
  }
}

function named(name: string | undefined): { readonly name?: string } {
  return name === undefined ? {} : { name };
}
