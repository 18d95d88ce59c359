// The commands that can be typed into a chat: the catalog's rows, and a row for every command that a loaded plugin brought.
// Decides which plugin has which name, and how the plugin is asked. No plugin can take the name of a command of the product.

import { type CommandPeople, isApprover } from '../../commands/audience.ts';
import { COMMAND_CATALOG } from '../../commands/catalog.ts';
import type { ChatCommand, CommandCall, CommandList, LanePlace, PluginWork } from '../../commands/chat-command.ts';
import type { PluginRegistry, Registered } from '../../plugins/plugin-registry.ts';
import type { PluginCommandAnswer, PluginCommandContext } from '../../plugins/registration.ts';
import { oneLine } from '../../protocol/one-line.ts';
import { askPlugin, reasonOf } from './ask-plugin.ts';
import { type ClaimedNames, claimNames, type RefusedName } from './claim-names.ts';

export interface PluginCommandsParts {
  readonly registry: PluginRegistry;
  readonly people: CommandPeople;
  readonly timeoutMs: number;
}

const MAX_ANSWER_CHARS = 100_000;

export class PluginCommands implements CommandList {
  readonly #parts: PluginCommandsParts;

  constructor(parts: PluginCommandsParts) {
    this.#parts = parts;
  }

  get people(): CommandPeople {
    return this.#parts.people;
  }

  list(): readonly ChatCommand[] {
    const brought = [...this.#claimed().byName].map(([name, registered]) => this.#row(name, registered));
    return [...COMMAND_CATALOG, ...brought];
  }

  refused(): readonly RefusedName[] {
    return this.#claimed().refused;
  }

  #claimed(): ClaimedNames<'command'> {
    return claimNames(this.#parts.registry.registered('command'), ({ name }) => name.trim().toLowerCase(), objectionTo);
  }

  #row(name: string, registered: Registered<'command'>): ChatCommand {
    const { description, acceptsArgs, requireAuth } = registered.registration;
    return {
      name,
      ...(acceptsArgs ? { arguments: '[…]' } : { standsAlone: true }),
      help: oneLine(description, 200) || 'a command of a plugin',
      who: requireAuth ? 'approvers' : 'anyone',
      owner: registered.pluginId,
      when: 'in-lane',
      handle: (call) => this.#work(registered, call),
    };
  }

  #work({ pluginId, registration }: Registered<'command'>, { name, rest }: CommandCall): PluginWork {
    const isAuthorized = ({ inbound }: LanePlace) => isApprover(inbound, this.#parts.people);
    return {
      kind: 'plugin',
      owner: pluginId,
      // What a plugin throws may tell of things that only the operator should know.
      describeFailure: (error, place) =>
        isAuthorized(place)
          ? `The command /${name} failed: ${reasonOf(error)}`
          : `The command /${name} failed. The operator's log says why.`,
      run: async (place) => {
        const { isHeldUp } = registration;
        const asked = { pluginId, what: `the command /${name}`, ms: this.#parts.timeoutMs, isHeldUp };
        const context = contextOf(place, rest, isAuthorized(place));
        return readAnswer(await askPlugin(asked, () => registration.handler(context)));
      },
    };
  }
}

const OWN_NAMES = new Set(COMMAND_CATALOG.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
const NAME = /^[a-z][a-z0-9_-]{0,63}$/;

function objectionTo(name: string): string | undefined {
  if (OWN_NAMES.has(name)) return "it is one of Atrium's own";
  return NAME.test(name) ? undefined : 'a name has up to 64 letters, digits, dashes and underscores';
}

function contextOf(
  { agentId, sessionKey, sessionId, inbound }: LanePlace,
  args: string,
  isAuthorizedSender: boolean,
): PluginCommandContext {
  const { surface, sender, text } = inbound;
  return {
    senderId: sender.id,
    channel: surface.channel,
    channelId: surface.peer.id,
    isAuthorizedSender,
    sessionKey,
    sessionId,
    agentId,
    ...(args === '' ? {} : { args }),
    commandBody: text.trim(),
    from: sender.id,
    to: surface.peer.id,
    accountId: surface.accountId,
    ...(surface.threadId === undefined ? {} : { messageThreadId: surface.threadId }),
  };
}

/** Handlers also answer with a plain text, or with nothing. */
function readAnswer(given: unknown): PluginCommandAnswer {
  if (typeof given === 'string') return { text: given.slice(0, MAX_ANSWER_CHARS) };
  if (typeof given !== 'object' || given === null) return {};
  const { text, continueAgent } = given as Partial<PluginCommandAnswer>;
  return {
    ...(typeof text === 'string' ? { text: text.slice(0, MAX_ANSWER_CHARS) } : {}),
    ...(continueAgent === true ? { continueAgent } : {}),
  };
}
