// Reads an OpenAI chat completion request as a message for an agent: the agent, the session, the text, and the messages
// with which a fresh session begins. The functions are pure. A request that cannot be fulfilled is refused with a
// sentence instead of being ignored.

import { normalizeAgentId } from '../../protocol/agent-id.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Message } from '../../protocol/message.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import { UnknownAgentError } from '../../routing/errors.ts';
import { RequestInvalidError, UnknownModelNameError } from '../errors.ts';
import type { ChatCompletionBody } from './routes/chat-completions.ts';

export interface ChatRequest {
  readonly agentId: string;
  readonly text: string;
  /** Undefined where the session has a history already. */
  readonly seed: readonly Message[] | undefined;
  readonly sessionKey: string | undefined;
  readonly user: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly metadata: JsonObject | undefined;
}

export interface ChatHeaders {
  readonly sessionKey: string | undefined;
  readonly idempotencyKey: string | undefined;
}

/** The default agent is first in `agentIds`. */
export function readChatRequest(
  body: ChatCompletionBody,
  headers: ChatHeaders,
  agentIds: readonly string[],
): ChatRequest {
  refuseUnsupported(body);
  const said = body.messages.map(toSaid);
  const lastAnswer = said.findLastIndex(({ role }) => role === 'assistant');
  const sessionKey = checkHeader(headers.sessionKey, 'x-openclaw-session-key', 512);
  const user = body.user ?? undefined;
  const hasSession = sessionKey !== undefined || user !== undefined;
  const { seed, text } = hasSession
    ? { seed: [], text: joinNew(said.slice(lastAnswer + 1)) }
    : splitSeed(said, lastAnswer);
  if (text.trim() === '') {
    throw new RequestInvalidError({
      problem: 'The last message must be a user message with some text.',
      param: 'messages',
    });
  }
  return {
    agentId: resolveModelName(body.model, agentIds),
    text,
    seed: hasSession || seed.length === 0 ? undefined : seed,
    sessionKey,
    user,
    idempotencyKey: checkHeader(headers.idempotencyKey, 'Idempotency-Key', 255),
    metadata: (body.metadata ?? undefined) as JsonObject | undefined,
  };
}

/**
 * The name has the form `atrium/<agentId>`; the bare name means the default agent, and so does `default` unless an
 * agent has that name.
 */
export function resolveModelName(model: string, agentIds: readonly string[]): string {
  const [, product, agent] = /^(atrium|openclaw)(?:[/:](.*))?$/is.exec(model.trim()) ?? [];
  const names = agentIds.map((id) => `atrium/${id}`);
  if (product === undefined)
    throw new UnknownModelNameError({ model: model.slice(0, 100), known: names, suggestion: nearMatch(model, names) });
  const [defaultId = 'main'] = agentIds;
  if (agent === undefined || agent === '') return defaultId;
  const wanted = normalizeAgentId(agent);
  const known = agentIds.find((id) => normalizeAgentId(id) === wanted);
  if (known !== undefined) return known;
  if (wanted === 'default') return defaultId;
  throw new UnknownAgentError({
    agentId: agent.slice(0, 100),
    known: agentIds,
    suggestion: nearMatch(agent, agentIds),
  });
}

interface Said {
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
}

type BodyMessage = ChatCompletionBody['messages'][number];

function toSaid(
  { role, content, tool_calls: toolCalls, function_call: functionCall }: BodyMessage,
  index: number,
): Said {
  const at = `messages.${index}`;
  if (role === 'tool' || role === 'function' || toolCalls?.length || functionCall) {
    throw new RequestInvalidError({
      problem: `${at} belongs to a tool of the client. Agents use their own tools here; send only what was said.`,
      param: at,
    });
  }
  return { role: role === 'developer' ? 'system' : role, text: textOfContent(content, at) };
}

function textOfContent(content: BodyMessage['content'], at: string): string {
  if (typeof content === 'string') return content;
  return (content ?? [])
    .map((part, index) => {
      if (part.type === 'text' && part.text !== undefined) return part.text;
      throw new RequestInvalidError({
        problem: `${at}.content.${index} is of type ${JSON.stringify(part.type.slice(0, 40))}. Only text is understood here.`,
        param: `${at}.content.${index}`,
      });
    })
    .join('\n');
}

/** In a session with a history, only the messages after the last answer are new. */
function joinNew(said: readonly Said[]): string {
  return said.some(({ role }) => role === 'user') ? joinTexts(said.map(({ text }) => text)) : '';
}

/** The client's system messages are put in front of the user's first message. */
function splitSeed(said: readonly Said[], lastAnswer: number): { seed: Message[]; text: string } {
  const system = said.filter(({ role }) => role === 'system').map(({ text }) => text);
  const isTalk = ({ role, text }: Said) => role !== 'system' && text.trim() !== '';
  const before = said.slice(0, lastAnswer + 1).filter(isTalk);
  const after = said
    .slice(lastAnswer + 1)
    .filter(isTalk)
    .map(({ text }) => text);
  const firstUser = before.findIndex(({ role }) => role === 'user');
  if (firstUser === -1) {
    return { seed: toMessages(before), text: after.length === 0 ? '' : joinTexts([...system, ...after]) };
  }
  const introduced = before.map((each, index) =>
    index === firstUser ? { ...each, text: joinTexts([...system, each.text]) } : each,
  );
  return { seed: toMessages(introduced), text: joinTexts(after) };
}

/** Neighbouring messages of the same role are joined, because some models require alternating roles. */
function toMessages(said: readonly Said[]): Message[] {
  const merged: Said[] = [];
  for (const each of said) {
    const last = merged.at(-1);
    if (last?.role === each.role) merged[merged.length - 1] = { ...each, text: joinTexts([last.text, each.text]) };
    else merged.push(each);
  }
  return merged.map(
    ({ role, text }): Message =>
      role === 'assistant' ? { role, content: [{ type: 'text', text }] } : { role: 'user', content: text },
  );
}

function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}

function refuseUnsupported({ tools, functions, n }: ChatCompletionBody): void {
  const given = tools?.length ? 'tools' : functions?.length ? 'functions' : undefined;
  if (given) {
    throw new RequestInvalidError({
      problem: `"${given}" cannot be used here: agents bring their own tools and run them in the gateway. Leave it out.`,
      param: given,
    });
  }
  if (n !== undefined && n !== null && n !== 1) {
    throw new RequestInvalidError({ problem: '"n" can only be 1: an agent gives one answer.', param: 'n' });
  }
}

function checkHeader(value: string | undefined, name: string, maxLength: number): string | undefined {
  const text = value?.trim();
  if (text === undefined || text === '') return undefined;
  if (text.length > maxLength) {
    throw new RequestInvalidError({
      problem: `The header ${name} is longer than ${maxLength} characters.`,
      param: name,
    });
  }
  return text;
}
