// Reads an OpenAI chat completion request as a message for an agent: the agent, the session, the text, and the messages
// with which a fresh session begins. The functions are pure. A request that cannot be fulfilled is refused with a
// sentence instead of being ignored.

import { normalizeAgentId } from '../../protocol/agent-id.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import { UnknownAgentError } from '../../routing/errors.ts';
import type { ClientRequest } from '../../store/tables.ts';
import { RequestInvalidError, UnknownModelNameError } from '../errors.ts';
import { refuseChatFields } from './chat-fields.ts';
import { readChatWishes } from './client-request.ts';
import { type ClientTalk, readTalk, type Said, type SaidCall } from './client-talk.ts';
import { readFilePart } from './file-parts.ts';
import {
  CHAT_CALL_FIELDS,
  CHAT_MESSAGE_FIELDS,
  CHAT_PART_FIELDS,
  refuseInside,
  refuseInsideOf,
  withImageObject,
} from './inner-fields.ts';
import type { ChatCompletionBody } from './routes/chat-completions.ts';

/** A request of an API client: what it says, for whom, and what it asks for besides. */
export interface ChatRequest extends ClientTalk {
  readonly agentId: string;
  readonly sessionKey: string | undefined;
  readonly user: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly metadata: JsonObject | undefined;
  readonly client: ClientRequest;
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
  refuseChatFields(body);
  const sessionKey = checkHeader(headers.sessionKey, 'x-openclaw-session-key', 512);
  const user = body.user ?? undefined;
  const hasSession = sessionKey !== undefined || user !== undefined;
  return {
    ...readTalk(body.messages.map(toSaid), hasSession, 'messages'),
    agentId: resolveModelName(body.model, agentIds),
    sessionKey,
    user,
    idempotencyKey: checkHeader(headers.idempotencyKey, 'Idempotency-Key', 255),
    metadata: (body.metadata ?? undefined) as JsonObject | undefined,
    client: readChatWishes(body),
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

type BodyMessage = ChatCompletionBody['messages'][number];

function toSaid(message: BodyMessage, index: number): Said {
  const { role, content } = message;
  const at = `messages.${index}`;
  if (role === 'function' || message.function_call) {
    throw new RequestInvalidError({
      problem: `${at} is of the old form of tools. Use "tools", "tool_calls" and messages of the role "tool".`,
      param: at,
    });
  }
  refuseInsideOf(CHAT_MESSAGE_FIELDS, role, message, at);
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  for (const [place, part] of parts.entries())
    refuseInsideOf(CHAT_PART_FIELDS, part.type, withImageObject(part), `${at}.content.${place}`);
  const files = parts.flatMap((part, place) => readFilePart(part, `${at}.content.${place}`) ?? []);
  const [file] = files;
  if (file && role !== 'user') {
    throw new RequestInvalidError({
      problem: `${file.at} is in a message of the role "${role}". Files belong to user messages.`,
      param: file.at,
    });
  }
  const text = parts.flatMap(textOf).join('\n');
  switch (role) {
    case 'tool':
      return { role, callId: callIdOf(message, at), text, files: [] };
    case 'assistant':
      return {
        role,
        text,
        files,
        calls: (message.tool_calls ?? []).map((call, place) => toCall(call, `${at}.tool_calls.${place}`)),
      };
    default:
      return { role: role === 'developer' ? 'system' : role, text, files };
  }
}

function callIdOf({ tool_call_id: id }: BodyMessage, at: string): string {
  if (typeof id === 'string' && id !== '') return id;
  throw new RequestInvalidError({ problem: `${at} needs the "tool_call_id" of the call that it answers.`, param: at });
}

function toCall(call: unknown, at: string): SaidCall {
  refuseInside(CHAT_CALL_FIELDS, call, at);
  const { id, function: called } = (call ?? {}) as { readonly id?: unknown; readonly function?: unknown };
  const { name, arguments: params } = (called ?? {}) as { readonly name?: unknown; readonly arguments?: unknown };
  if (typeof id === 'string' && typeof name === 'string') return { id, name, params: readArguments(params) };
  throw new RequestInvalidError({
    problem: `${at} is no call of a function: it needs "id" and "function" with "name" and "arguments".`,
    param: at,
  });
}

/** The arguments are the text that a model wrote, so they may be anything. */
export function readArguments(written: unknown): JsonValue {
  try {
    return JSON.parse(String(written ?? '{}')) as JsonValue;
  } catch {
    return String(written);
  }
}

function textOf({ type, text = '' }: { readonly type: string; readonly text?: string | undefined }): readonly string[] {
  return type === 'text' ? [text] : [];
}

export function checkHeader(value: string | undefined, name: string, maxLength: number): string | undefined {
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
