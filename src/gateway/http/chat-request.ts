// Reads an OpenAI chat completion request as a message for an agent: the agent, the session, the text, and the messages
// with which a fresh session begins. The functions are pure. A request that cannot be fulfilled is refused with a
// sentence instead of being ignored.

import { normalizeAgentId } from '../../protocol/agent-id.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import { UnknownAgentError } from '../../routing/errors.ts';
import { RequestInvalidError, UnknownModelNameError } from '../errors.ts';
import { refuseChatFields } from './chat-fields.ts';
import { type FilePart, readFilePart } from './file-parts.ts';
import type { ChatCompletionBody } from './routes/chat-completions.ts';

export interface ChatRequest {
  readonly agentId: string;
  readonly text: string;
  /** The files of the new message. They are not kept yet. */
  readonly files: readonly FilePart[];
  /** Undefined where the session has a history already. */
  readonly seed: readonly SaidBefore[] | undefined;
  readonly sessionKey: string | undefined;
  readonly user: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly metadata: JsonObject | undefined;
}

/** A message of the client's own history. */
export interface SaidBefore {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly files: readonly FilePart[];
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
  const said = body.messages.map(toSaid);
  const lastAnswer = said.findLastIndex(({ role }) => role === 'assistant');
  const sessionKey = checkHeader(headers.sessionKey, 'x-openclaw-session-key', 512);
  const user = body.user ?? undefined;
  const hasSession = sessionKey !== undefined || user !== undefined;
  const fresh = said.slice(lastAnswer + 1);
  const { seed, text } = hasSession ? { seed: [], text: joinNew(fresh) } : splitSeed(said, lastAnswer);
  const files = fresh.flatMap((each) => each.files);
  if (text.trim() === '' && files.length === 0) {
    throw new RequestInvalidError({
      problem: 'The last message must be a user message with some text or a file.',
      param: 'messages',
    });
  }
  return {
    agentId: resolveModelName(body.model, agentIds),
    text,
    files,
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
  readonly files: readonly FilePart[];
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
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  const files = parts.flatMap((part, place) => readFilePart(part, `${at}.content.${place}`) ?? []);
  const [file] = files;
  if (file && role !== 'user') {
    throw new RequestInvalidError({
      problem: `${file.at} is in a message of the role "${role}". Files belong to user messages.`,
      param: file.at,
    });
  }
  return { role: role === 'developer' ? 'system' : role, text: parts.flatMap(textOf).join('\n'), files };
}

function textOf({ type, text = '' }: { readonly type: string; readonly text?: string | undefined }): readonly string[] {
  return type === 'text' ? [text] : [];
}

/** In a session with a history, only the messages after the last answer are new. */
function joinNew(said: readonly Said[]): string {
  return said.some(({ role }) => role === 'user') ? joinTexts(said.map(({ text }) => text)) : '';
}

/** The client's system messages are put in front of the user's first message. */
function splitSeed(said: readonly Said[], lastAnswer: number): { seed: SaidBefore[]; text: string } {
  const system = said.filter(({ role }) => role === 'system').map(({ text }) => text);
  const isTalk = ({ role, text, files }: Said) => role !== 'system' && (text.trim() !== '' || files.length > 0);
  const before = said.slice(0, lastAnswer + 1).filter(isTalk);
  const after = said
    .slice(lastAnswer + 1)
    .filter(isTalk)
    .map(({ text }) => text);
  const firstUser = before.findIndex(({ role }) => role === 'user');
  if (firstUser === -1) {
    return { seed: joinSaid(before), text: after.length === 0 ? '' : joinTexts([...system, ...after]) };
  }
  const introduced = before.map((each, index) =>
    index === firstUser ? { ...each, text: joinTexts([...system, each.text]) } : each,
  );
  return { seed: joinSaid(introduced), text: joinTexts(after) };
}

/** Neighbouring messages of the same role are joined, because some models require alternating roles. */
function joinSaid(said: readonly Said[]): SaidBefore[] {
  const merged: SaidBefore[] = [];
  for (const { role, text, files } of said) {
    const last = merged.at(-1);
    const each: SaidBefore = { role: role === 'assistant' ? role : 'user', text, files };
    if (last?.role !== each.role) merged.push(each);
    else merged[merged.length - 1] = { ...each, text: joinTexts([last.text, text]), files: [...last.files, ...files] };
  }
  return merged;
}

function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
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
