// What a chat command is: one row of the catalog, or the row that a plugin's command becomes. `/help`, completion, the API
// and the docs read the first fields; the parser, the permission check and the two ways to act read the others. A row knows
// no store and no run: what its handler needs is handed to it.

import type { Inbound } from '../protocol/inbound.ts';
import type { Audience } from './audience.ts';

export type ChatCommand = AtOnceCommand | LaneCommand;

export interface CommandFacts {
  /** Without the slash, in lower case. */
  readonly name: string;
  /** Other words for the same command. */
  readonly aliases?: readonly string[] | undefined;
  /** What may follow the name, as people are shown it. */
  readonly arguments?: string | undefined;
  /** What it does, as the end of the line that begins with its name. */
  readonly help: string;
  readonly who: Audience;
  /** The plugin that brought it; undefined for the product's own. */
  readonly owner?: string | undefined;
  /** With words behind it, it is a sentence for the agent and no command. */
  readonly standsAlone?: boolean | undefined;
}

/** Answered when it arrives, whatever is running. The answer is text for the chat and is never told to a model. */
export interface AtOnceCommand extends CommandFacts {
  readonly when: 'at-once';
  handle(ports: CommandPorts, call: CommandCall, place: CommandPlace): Promise<string>;
}

/** Takes its turn like a message. The handler says what the run does in place of asking a model, or before it. */
export interface LaneCommand extends CommandFacts {
  readonly when: 'in-lane';
  handle(call: CommandCall): LaneWork;
}

export interface CommandCall {
  /** The row's name, also when an alias was typed. */
  readonly name: string;
  /** What stands behind the name, as it was written: `/new hello there` goes on with `hello there`. */
  readonly rest: string;
  /** The same as words in lower case, for commands that take options. */
  readonly args: readonly string[];
}

export interface CommandPlace {
  readonly sessionKey: string;
  readonly agentId: string;
  readonly inbound: Inbound;
}

export type LaneWork =
  /** The session ends; the text, if there is one, is the first message of the next. */
  | { readonly kind: 'new-session'; readonly reason: 'new' | 'reset'; readonly text: string }
  /** The conversation is made shorter; the text is what the summary should mind. */
  | { readonly kind: 'compaction'; readonly text: string }
  | PluginWork;

/** A plugin answers in the agent's place. */
export interface PluginWork {
  readonly kind: 'plugin';
  readonly owner: string;
  run(place: LanePlace): Promise<CommandAnswer | undefined>;
  /** What people are told when the handler fails: why, as far as they may know. */
  describeFailure(error: unknown, place: LanePlace): string;
}

export type LanePlace = CommandPlace & { readonly sessionId: string };

export interface CommandAnswer {
  readonly text?: string | undefined;
  /** The message goes on to the agent as well. */
  readonly continueAgent?: boolean | undefined;
}

/** The commands that can be typed now: the catalog, and what the loaded plugins brought. */
export interface CommandList {
  list(): readonly ChatCommand[];
  /** The operator's list of people, as `channel:sender`. */
  readonly approvers: readonly string[];
}

/** What the handlers of commands that act at once need of the gateway. */
export interface CommandPorts extends CommandList {
  /** False when nothing was running. */
  stop(place: CommandPlace): Promise<boolean>;
  approve(args: readonly string[], place: CommandPlace): Promise<string>;
  describeStatus(place: CommandPlace): Promise<string>;
  describeContext(view: string, place: CommandPlace): Promise<string>;
}
