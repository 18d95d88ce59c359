// Slack's conversations as surfaces, and back. A direct conversation is named by the person, as session keys and lists of
// people name them; Slack itself names it by a conversation of its own, which is asked for and remembered. A thread is
// its conversation with the timestamp of its first message.

import { BoundedMap } from '../../src/channels/bounded-map.ts';
import type { Peer, Surface } from '../../src/protocol/inbound.ts';
import { isJsonObject } from '../../src/protocol/json.ts';
import { oneLine } from '../../src/protocol/one-line.ts';
import type { SlackAnswer, SlackApi } from './api.ts';
import { sentenceOf } from './failure.ts';

export const CHANNEL_ID = 'slack';

/** What is known of a conversation. */
export interface SlackPlace {
  readonly peer: Peer;
  readonly name?: string | undefined;
}

const MOST = 5_000;

export class SlackPlaces {
  readonly #accountId: string;
  readonly #api: SlackApi;
  /** Places by the id of the conversation. */
  readonly #places = new BoundedMap<SlackPlace>(MOST);
  /** Conversations by the person of a direct one. */
  readonly #directs = new BoundedMap<string>(MOST);

  constructor(accountId: string, api: SlackApi) {
    this.#accountId = accountId;
    this.#api = api;
  }

  surfaceOf({ peer }: SlackPlace, threadId: string | undefined): Surface {
    const surface = { channel: CHANNEL_ID, accountId: this.#accountId, peer };
    return threadId === undefined ? surface : { ...surface, threadId };
  }

  /** Answers from memory. */
  nameOf(conversation: string): string | undefined {
    return this.#places.get(conversation)?.name;
  }

  /**
   * The place of a conversation. `user` is a person who spoke in it, for a direct one. Events name the kind of most
   * conversations; when neither they nor Slack do, it counts as a channel. Rejects when Slack could not be asked.
   */
  async placeOf(conversation: string, user: string, channelType?: string | undefined): Promise<SlackPlace> {
    if (channelType === 'im' || conversation.startsWith('D')) return this.#rememberDirect(conversation, user);
    const known = this.#places.get(conversation);
    if (known) return known;
    const answer = await this.#api.call('conversations.info', { channel: conversation });
    // A wrong kind would lead to another session, so the event is tried again rather than guessed at.
    if (!answer.ok && answer.failure.kind !== 'refused' && channelType === undefined) {
      throw new Error(sentenceOf(answer.failure));
    }
    const info = answer.ok && isJsonObject(answer.value.channel) ? answer.value.channel : undefined;
    const isGroup = channelType === undefined ? info?.is_mpim === true : channelType === 'mpim';
    const name = typeof info?.name === 'string' && info.name !== '' ? { name: oneLine(info.name, 80) } : {};
    const place: SlackPlace = { peer: { kind: isGroup ? 'group' : 'channel', id: conversation }, ...name };
    // A kind that was only guessed is asked for again with the next message.
    if (info || channelType !== undefined) this.#places.set(conversation, place);
    return place;
  }

  /** The id of Slack's conversation for a surface. */
  async conversationOf({ peer }: Surface, signal?: AbortSignal): Promise<SlackAnswer<string>> {
    if (peer.kind !== 'direct') return { ok: true, value: peer.id };
    const known = this.#directs.get(peer.id);
    if (known !== undefined) return { ok: true, value: known };
    const answer = await this.#api.call('conversations.open', { users: peer.id }, signal);
    if (!answer.ok) return answer;
    const { channel } = answer.value;
    const id = isJsonObject(channel) ? String(channel.id) : '';
    this.#rememberDirect(id, peer.id);
    return { ok: true, value: id };
  }

  #rememberDirect(conversation: string, user: string): SlackPlace {
    this.#directs.set(user, conversation);
    return { peer: { kind: 'direct', id: user } };
  }
}

/** A timestamp names a message; everything else names none. */
export function isTs(text: unknown): text is string {
  return typeof text === 'string' && /^\d{1,12}\.\d{1,9}$/.test(text);
}

/** The time of a timestamp, in milliseconds. */
export function timeOf(ts: string): number {
  return Math.floor(Number(ts) * 1_000);
}
