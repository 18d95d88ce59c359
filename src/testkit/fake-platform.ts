// A chat platform on this machine, as the people see it who write there. Behind it is a fake that speaks the real
// protocol, so the real client library talks to it. What a test or a page needs is the same on every platform, and is
// stated here; what is special about one platform is in the fake itself.

import type { JsonObject } from '../protocol/json.ts';

export interface FakePlatform {
  /** The id of the channel: `telegram`. */
  readonly id: string;
  /** As people write it: `Telegram`. */
  readonly name: string;
  /** The section `channels.<id>` of a configuration that connects to it, without any rule about who may talk. */
  readonly section: JsonObject;
  /** The direct conversation of each person, a group with all of them, and the threads that were opened. */
  places(): readonly FakePlace[];
  /** The address of a place as plugins, jobs and the message tool write it, `direct:…`, and its thread if it is one. */
  addressOf(placeId: string): { readonly to: string; readonly threadId?: string | undefined };
  /** A person writes, and speaks to the bot by its name. */
  says(placeId: string, text: string, given?: FakeMessageDetails): Promise<void>;
  /** A person opens a thread or a topic in the group. Gives the id of the new place. */
  opensThread(placeId: string, name: string): Promise<string>;
  /** Presses the button with this label below a message. */
  presses(placeId: string, messageId: string, label: string, given?: FakePressDetails): Promise<void>;
  /** What people see there, oldest first. */
  shown(placeId: string): readonly FakeMessage[];
  /** Whether the bot is shown as typing there. */
  isTyping(placeId: string): boolean;
  /** Something goes wrong, once, as it does on the real platform. */
  suffer(fault: FakeFault): void;
  stop(): Promise<void>;
}

/**
 * `disconnect`: the connection is cut. `limit`: the next message is refused with 429. `break`: the next message is refused
 * with a 5xx. `withhold`: the next message is shown, but the sender never learns it. `repeat`: the latest event is
 * delivered again.
 */
export const FAKE_FAULTS = ['disconnect', 'limit', 'break', 'withhold', 'repeat'] as const;
export type FakeFault = (typeof FAKE_FAULTS)[number];

export interface FakePlace {
  readonly id: string;
  readonly name: string;
  readonly kind: 'direct' | 'group' | 'thread';
  /** The people who can write there. */
  readonly people: readonly string[];
}

export interface FakeMessageDetails {
  /** The name of the person. The default is the first one of the place. */
  readonly person?: string | undefined;
  /** True when the person speaks to the others, and not to the bot. */
  readonly isAside?: boolean | undefined;
  readonly file?: { readonly name: string; readonly bytes: Uint8Array } | undefined;
}

export interface FakePressDetails {
  /** The name of the person. The default is the first one of the place. */
  readonly person?: string | undefined;
}

export interface FakeMessage {
  readonly id: string;
  readonly author: string;
  readonly isBot: boolean;
  /** The text as the platform shows it, without markup. */
  readonly text: string;
  readonly buttons: readonly string[];
  /** The names of the files. */
  readonly files: readonly string[];
  /** What the bot reacted with, as the platform writes it. */
  readonly reactions: readonly string[];
  readonly at: number;
}
