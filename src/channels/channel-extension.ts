// What a chat platform brings: how its channel is made, and how an account is tried before it is used. An extension
// stands in `extensions/<id>/`, is loaded only when its section of the configuration has an account, and knows nothing
// but the Channel contract and what it is handed here.
//
// Errors: `create` only builds and never throws. `check` never throws; what the platform says is a value.
// Rules: one channel holds all accounts of its platform. An account that cannot connect does not disturb the others, and
// its state says why. `open` resolves without waiting for a connection.

import type { JsonValue } from '../protocol/json.ts';
import type { Channel } from './channel.ts';

export interface ChannelExtension<Account extends ChannelAccount> {
  readonly id: string;
  create(parts: ExtensionParts<Account>): Channel;
  /** Asks the platform whether it takes the account's tokens, and who the bot is. Sends no message. */
  check(account: Account, signal: AbortSignal): Promise<AccountCheck>;
}

/** One account of a platform, with its tokens, as the configuration has it. */
export interface ChannelAccount {
  /** Normalised; `default` for the only one. */
  readonly accountId: string;
}

export interface ExtensionParts<Account extends ChannelAccount> {
  readonly accounts: readonly Account[];
  /** The commands that the platform may offer natively. */
  readonly commands: () => readonly NativeCommand[];
  readonly memory: ChannelMemory;
  /**
   * Asked right before each request to the platform. False when the account may belong to another node by now, because this
   * process was frozen, for example; then nothing may be requested. Without it, the accounts belong to this process alone.
   */
  readonly mayAct?: (() => boolean) | undefined;
  readonly now: () => number;
  /** Called with one sentence for the operator. It never contains a token or the words of a message. */
  readonly warn: (sentence: string) => void;
}

/** A chat command. A person's use of it arrives as an inbound with the text `/name arguments`. */
export interface NativeCommand {
  /** Lower-case letters, digits and `_`. */
  readonly name: string;
  readonly description: string;
  readonly takesArguments: boolean;
}

/**
 * What a channel remembers across restarts, such as where it stopped reading. Small values only.
 * Errors: `read` gives undefined when nothing can be read; `write` never rejects. A value may be lost with a crash, so it
 * must only ever lead to reading something twice, never to leaving something out.
 */
export interface ChannelMemory {
  read(accountId: string, name: string): Promise<JsonValue | undefined>;
  write(accountId: string, name: string, value: JsonValue): Promise<void>;
}

export type AccountCheck =
  | {
      readonly outcome: 'ok';
      /** The name of the bot on the platform. */
      readonly name: string;
      /** What works only after the operator has done something, one sentence each: a permission that is missing. */
      readonly notes: readonly string[];
    }
  | { readonly outcome: 'refused'; readonly reason: string; readonly nextStep: string }
  /** The platform could not be asked. */
  | { readonly outcome: 'unreachable'; readonly reason: string };
