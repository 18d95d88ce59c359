// The commands that plugins bring to every chat: who has which name, who may use it, and how the plugin is asked. The
// product's own commands are nobody else's.

import type { ChatCommand } from '../../agent/commands/help.ts';
import type { CommandPort, FoundCommand, TypedCommand } from '../../agent/run-command.ts';
import type { PluginRegistry, Registered } from '../../plugins/plugin-registry.ts';
import type { PluginCommandAnswer, PluginCommandContext } from '../../plugins/registration.ts';
import { SLASH_COMMANDS } from '../../routing/slash-command.ts';
import { mayAllowAlways } from '../../tools/approvals/may-answer.ts';
import { type ClaimedNames, claimNames, type RefusedName } from './claim-names.ts';
import { plainLine, reasonOf } from './reason-of.ts';
import { withinTime } from './within-time.ts';

export interface PluginCommandsParts {
  readonly registry: PluginRegistry;
  /** The operator's list of people, as `channel:sender`. */
  readonly approvers: readonly string[];
  readonly timeoutMs: number;
}

const COMMAND = /^\s*\/([a-z][a-z0-9_-]{0,63})(?:\s+([\s\S]*))?$/i;
const MAX_ANSWER_CHARS = 100_000;

export class PluginCommands implements CommandPort {
  readonly #parts: PluginCommandsParts;

  constructor(parts: PluginCommandsParts) {
    this.#parts = parts;
  }

  find(typed: TypedCommand): FoundCommand | undefined {
    const [, word, rest = ''] = COMMAND.exec(typed.inbound.text) ?? [];
    if (word === undefined) return undefined;
    const registered = this.#claimed().byName.get(word.toLowerCase());
    const args = rest.trim();
    // What stands behind a command that takes nothing makes it a sentence for the agent.
    if (!registered || (args !== '' && !registered.registration.acceptsArgs)) return undefined;
    return this.#found(registered, typed, args);
  }

  /** For /help. */
  listed(): readonly ChatCommand[] {
    return [...this.#claimed().byName].map(([name, { registration }]) => ({
      name,
      ...(registration.acceptsArgs ? { usage: '[…]' } : {}),
      summary: plainLine(registration.description, 200) || 'a command of a plugin',
    }));
  }

  refused(): readonly RefusedName[] {
    return this.#claimed().refused;
  }

  #claimed(): ClaimedNames<'command'> {
    return claimNames(this.#parts.registry.registered('command'), ({ name }) => name.trim().toLowerCase(), objectionTo);
  }

  #found({ pluginId, registration }: Registered<'command'>, typed: TypedCommand, args: string): FoundCommand {
    const name = registration.name.trim().toLowerCase();
    const isAuthorizedSender = mayAllowAlways(typed, this.#parts.approvers);
    const context = contextOf(typed, args, isAuthorizedSender);
    return {
      name,
      owner: pluginId,
      refusal: registration.requireAuth && !isAuthorizedSender ? notAllowed(name) : undefined,
      // What a plugin throws may tell of things that only the operator should know.
      describeFailure: (error) =>
        isAuthorizedSender
          ? `The command /${name} failed: ${reasonOf(error)}`
          : `The command /${name} failed. The operator's log says why.`,
      run: async () => {
        const what = `the command /${name}`;
        const asked = { pluginId, what, ms: this.#parts.timeoutMs };
        return readAnswer(await withinTime(asked, () => registration.handler(context)));
      },
    };
  }
}

function objectionTo(name: string): string | undefined {
  if ((SLASH_COMMANDS as readonly string[]).includes(name)) return "it is one of Atrium's own";
  return COMMAND.test(`/${name}`) ? undefined : 'a name has up to 64 letters, digits, dashes and underscores';
}

function notAllowed(name: string): string {
  return `You may not use /${name} here. Only the operator and those named in approvals.approvers may.`;
}

function contextOf(
  { agentId, sessionKey, sessionId, inbound }: TypedCommand,
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
