// The type of a chat command: one row of the catalog, or the row that a plugin's command becomes. `/help`, completion,
// the API and the docs read the first fields; the parser, the permission check and the two ways to act read the others.
// A row knows no store and no run: what its handler needs is handed to it.

import type { Inbound } from '../protocol/inbound.ts';
import type { Audience, CommandPeople } from './audience.ts';

export type ChatCommand = AtOnceCommand | LaneCommand;

export interface CommandFacts {
  /** The name without the slash, in lower case. */
  readonly name: string;
  /** Other names for the same command. */
  readonly aliases?: readonly string[] | undefined;
  /** What may follow the name, in the form that people are shown. */
  readonly arguments?: string | undefined;
  /** What the command does. In a list, this text follows the name on the same line. */
  readonly help: string;
  readonly who: Audience;
  /** The plugin that registered it; undefined for the product's own. */
  readonly owner?: string | undefined;
  /** When words follow the name, the message is a sentence for the agent and not a command. */
  readonly standsAlone?: boolean | undefined;
}

/**
 * A command that is answered when it arrives, even while a run goes on. The answer is text for the chat and is never
 * shown to a model.
 */
export interface AtOnceCommand extends CommandFacts {
  readonly when: 'at-once';
  handle(ports: CommandPorts, call: CommandCall, place: CommandPlace): Promise<string>;
}

/**
 * A command that waits for its turn like a message. The handler says what the run does instead of asking a model, or
 * before it.
 */
export interface LaneCommand extends CommandFacts {
  readonly when: 'in-lane';
  handle(call: CommandCall): LaneWork;
}

export interface CommandCall {
  /** The row's name, also when an alias was typed. */
  readonly name: string;
  /** The text behind the name, as it was written: for `/new hello there` it is `hello there`. */
  readonly rest: string;
  /** The same text as words in lower case, for commands that take options. */
  readonly args: readonly string[];
}

export interface CommandPlace {
  readonly sessionKey: string;
  readonly agentId: string;
  readonly inbound: Inbound;
}

export type LaneWork =
  /** The session ends; the text, if there is one, is the first message of the next session. */
  | { readonly kind: 'new-session'; readonly reason: 'new' | 'reset'; readonly text: string }
  /** The conversation is compacted; the text tells the model what the summary should pay attention to. */
  | { readonly kind: 'compaction'; readonly text: string }
  | PluginWork;

/** A plugin answers instead of the agent. */
export interface PluginWork {
  readonly kind: 'plugin';
  readonly owner: string;
  run(place: LanePlace): Promise<CommandAnswer | undefined>;
  /** What people are told when the handler fails, without details that are only for the operator. */
  describeFailure(error: unknown, place: LanePlace): string;
}

export type LanePlace = CommandPlace & { readonly sessionId: string };

export interface CommandAnswer {
  readonly text?: string | undefined;
  /** The message goes on to the agent as well. */
  readonly continueAgent?: boolean | undefined;
}

/** The commands that can be typed now: the catalog, and the commands of loaded plugins. */
export interface CommandList {
  list(): readonly ChatCommand[];
  readonly people: CommandPeople;
}

/** What the handlers of at-once commands need from the gateway. */
export interface CommandPorts extends CommandList {
  /** Gives false when no run was going on. */
  stop(place: CommandPlace): Promise<boolean>;
  /** The number of subagents of the session that have not ended and that its stop does not end. */
  countWorkingChildren(place: CommandPlace): Promise<number>;
  approve(args: readonly string[], place: CommandPlace): Promise<string>;
  /** Lists, shows or stops the subagents of the session. */
  subagents(rest: string, place: CommandPlace): Promise<string>;
  /** Writes what is recorded about the session into a folder, and says where. */
  exportTrajectory(place: CommandPlace): Promise<string>;
  describeStatus(place: CommandPlace): Promise<string>;
  /** Shows the model of the session, chooses one for it, or takes the choice back. */
  model(rest: string, place: CommandPlace): Promise<string>;
  describeContext(view: string, place: CommandPlace): Promise<string>;
}
