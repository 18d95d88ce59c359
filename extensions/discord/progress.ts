// How far an account has read, so that after a lost connection or a restart it goes on there. Discord numbers the events
// of a session; an event counts as read when it is stored safely, and the number to resume from moves only over events
// that all are. The mark is the same for the time without a session: everything up to it is stored safely.
// What is kept may be older than the truth, never newer, so it only ever leads to reading something twice.

import type { SessionInfo } from '@discordjs/ws';
import type { ChannelMemory } from '../../src/channels/channel-extension.ts';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';
import { KeptValue } from './kept-value.ts';
import { isLater, snowflakeAt } from './snowflake.ts';

/** Direct conversations that are looked at after an absence; Discord does not list them. */
const MOST_DMS = 200;

export class Progress {
  readonly #kept: KeptValue<JsonObject>;
  /** Names the bot and the platform, so that what is kept about another one is not used. */
  readonly #owner: string;
  readonly #done = new Map<number, string | undefined>();
  readonly #pending = new Set<number>();
  /** Ids of channels, the latest last. */
  readonly #dms = new Set<string>();
  #session: SessionInfo | undefined;
  #mark: string | undefined;
  #isBehind = false;

  constructor(memory: ChannelMemory, accountId: string, owner: string) {
    this.#kept = new KeptValue(memory, accountId, 'progress');
    this.#owner = owner;
  }

  async load(): Promise<void> {
    const kept = await this.#kept.read();
    if (!isJsonObject(kept) || kept.owner !== this.#owner) return;
    const { session, mark, dms } = kept;
    if (typeof mark === 'string') this.#mark = mark;
    if (Array.isArray(dms)) for (const id of dms) this.#dms.add(String(id));
    if (isJsonObject(session ?? null)) this.#session = session as unknown as SessionInfo;
  }

  /** The session to resume, with the number of the last event that is safe. */
  get session(): SessionInfo | undefined {
    return this.#session;
  }

  /** Everything up to this id is stored; undefined before the first connection ever. */
  get mark(): string | undefined {
    return this.#mark;
  }

  get dms(): readonly string[] {
    return [...this.#dms];
  }

  /** Until the past is read, the mark stays, and a restart begins with the past again instead of resuming. */
  beginSession(session: SessionInfo, now: number): void {
    this.#session = session;
    this.#done.clear();
    this.#pending.clear();
    // The first connection ever has no past.
    this.#isBehind = this.#mark !== undefined;
    this.#mark ??= snowflakeAt(now);
    this.#save();
  }

  /** Whether there is a past that was not read yet. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  caughtUp(): void {
    this.#isBehind = false;
    this.#save();
  }

  dropSession(): void {
    this.#session = undefined;
    this.#done.clear();
    this.#pending.clear();
    this.#save();
  }

  /** Whether the event is new: false for one that was read, or is being read. */
  arrived(sequence: number): boolean {
    const isKnown = this.#pending.has(sequence) || this.#done.has(sequence);
    if (!this.#session || isKnown || sequence <= this.#session.sequence) return false;
    this.#pending.add(sequence);
    return true;
  }

  /** The event is safe. `session` is where it came from: events of an earlier session have no number in this one. */
  stored(sequence: number, session: SessionInfo | undefined, messageId?: string): void {
    if (!this.#session || this.#session.sessionId !== session?.sessionId || !this.#pending.delete(sequence)) return;
    this.#done.set(sequence, messageId);
    let { sequence: next } = this.#session;
    while (this.#done.has(next + 1)) {
      next += 1;
      const id = this.#done.get(next);
      this.#done.delete(next);
      if (id !== undefined && !this.#isBehind && isLater(id, this.#mark ?? '0')) this.#mark = id;
    }
    if (next === this.#session.sequence) return;
    this.#session = { ...this.#session, sequence: next };
    this.#save();
  }

  sawDm(channelId: string): void {
    this.#dms.delete(channelId);
    this.#dms.add(channelId);
    for (const oldest of this.#dms) {
      if (this.#dms.size <= MOST_DMS) break;
      this.#dms.delete(oldest);
    }
  }

  settled(): Promise<void> {
    return this.#kept.settled();
  }

  #save(): void {
    this.#kept.write(() => ({
      owner: this.#owner,
      session: this.#isBehind || !this.#session ? null : { ...this.#session },
      mark: this.#mark ?? null,
      dms: [...this.#dms],
    }));
  }
}
