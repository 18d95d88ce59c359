// The names of people by their ids, asked once and remembered for a while, at most so many. A name that cannot be had is
// the id.

import { BoundedMap } from '../../src/channels/bounded-map.ts';
import type { Sender } from '../../src/protocol/inbound.ts';
import { isJsonObject, type JsonValue } from '../../src/protocol/json.ts';
import { oneLine } from '../../src/protocol/one-line.ts';
import type { SlackApi } from './api.ts';

const MOST = 2_000;
const KNOWN_MS = 3_600_000;
/** A name that could not be had is asked for again after this time. */
const UNKNOWN_MS = 300_000;

export class SlackPeople {
  readonly #api: SlackApi;
  readonly #now: () => number;
  readonly #known = new BoundedMap<{ readonly sender: Promise<Sender>; until: number }>(MOST);

  constructor(api: SlackApi, now: () => number) {
    this.#api = api;
    this.#now = now;
  }

  senderOf(id: string): Promise<Sender> {
    const known = this.#known.get(id);
    if (known && known.until > this.#now()) return known.sender;
    const entry = { sender: Promise.resolve<Sender>({ id }), until: this.#now() + KNOWN_MS };
    entry.sender = this.#api.call('users.info', { user: id }).then((answer) => {
      if (answer.ok) return senderFrom(id, answer.value.user);
      entry.until = this.#now() + UNKNOWN_MS;
      return { id };
    });
    this.#known.set(id, entry);
    return entry.sender;
  }

  async namesOf(ids: readonly string[]): Promise<(id: string) => string> {
    const senders = await Promise.all(ids.map((id) => this.senderOf(id)));
    const names = new Map(senders.map(({ id, name }) => [id, name ?? id]));
    return (id) => names.get(id) ?? id;
  }
}

export function senderFrom(id: string, user: JsonValue | undefined): Sender {
  if (user === undefined || !isJsonObject(user)) return { id };
  const profile = isJsonObject(user.profile) ? user.profile : {};
  const name = [profile.display_name, profile.real_name, user.real_name, user.name].find(
    (each) => typeof each === 'string' && each.trim() !== '',
  );
  return {
    id,
    ...(typeof name === 'string' && { name: oneLine(name, 80) }),
    ...(typeof user.name === 'string' && { username: oneLine(user.name, 80) }),
  };
}
