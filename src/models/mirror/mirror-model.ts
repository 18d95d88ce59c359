// Mirror, the embedded model for a machine without a key. It says that it is not a language model, describes its
// request, and obeys plain requests, so that every path of a run can be tried by hand. The same request gives the same
// answer, without a network. Only a `wait` takes time.

import { setTimeout as sleep } from 'node:timers/promises';
import type { AnswerWishes, WishName } from '../../protocol/answer-wishes.ts';
import { isJsonObject } from '../../protocol/json.ts';
import type { Message, ToolMessage } from '../../protocol/message.ts';
import { clip } from '../../protocol/one-line.ts';
import type { Usage } from '../../protocol/usage.ts';
import {
  MOST_TOOL_CALLS,
  type Model,
  type ModelEnd,
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
  type WireRequest,
} from '../model.ts';
import { takeWishes } from '../take-wishes.ts';
import { imagesFor, type ShowImages } from '../wire-images.ts';
import { describeRequest, quote } from './describe-request.ts';
import { type MirrorStep, mirrorSteps } from './mirror-steps.ts';

const MIRROR_REF = { provider: 'mirror', model: 'mirror' } as const;

export function createMirrorModel(): Model {
  return {
    ...MIRROR_REF,
    api: 'mirror',
    contextWindow: undefined,
    takesImages: false,
    checkWishes: takeMirrored,
    prepare,
    stream,
  };
}

function takeMirrored<Request extends Pick<ModelRequest, 'wishes'>>(asked: Request): Request {
  return takeWishes(asked, MIRROR_REF, (wish) => (TAKEN.has(wish) ? undefined : 'it is no language model'));
}

async function prepare(asked: ModelRequest): Promise<WireRequest> {
  const request = takeMirrored(asked);
  const { system, tools, maxOutputTokens, wishes } = request;
  const show = await imagesFor(request.messages, { takesImages: false });
  const messages = request.messages.map((message) => withoutImages(withoutDetails(message), show));
  return {
    url: 'mirror:',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: MIRROR_REF.model, system, tools, messages, maxOutputTokens, wishes }),
  };
}

/** The same request gives the same answer, so every seed is followed. */
const TAKEN: ReadonlySet<WishName> = new Set(['maxTokens', 'stop', 'seed']);

async function* stream(wire: WireRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const request = readRequest(wire.body);
  if (!request) {
    return yield failed('bad-request', 'mirror cannot read the request', wire, 0);
  }
  let written = 0;
  let calls = 0;
  for (const step of stepsFor(request)) {
    if (signal.aborted) return yield ended('aborted', wire, written);
    switch (step.type) {
      case 'say': {
        const { text, end } = cutAsWished(written > 0 ? `\n${step.text}` : step.text, written, request.wishes);
        for (const piece of piecesOf(text)) {
          if (signal.aborted) return yield ended('aborted', wire, written);
          written += piece.length;
          yield { type: 'text-delta', text: piece };
        }
        if (end) return yield ended(end, wire, written);
        break;
      }
      case 'wait':
        for (let left = step.seconds; left > 0; left -= 1) {
          if (!(await waited(Math.min(left, 1) * 1000, signal))) return yield ended('aborted', wire, written);
          const { text, end } = cutAsWished('. ', written, request.wishes);
          written += text.length;
          if (text !== '') yield { type: 'text-delta', text };
          if (end) return yield ended(end, wire, written);
        }
        break;
      case 'call':
        calls += 1;
        if (calls > MOST_TOOL_CALLS)
          return yield failed('bad-request', `mirror makes at most ${MOST_TOOL_CALLS} calls`, wire, written);
        written += step.input.length;
        yield {
          type: 'tool-call',
          id: `call_${request.messages.length}_${calls}`,
          name: step.tool,
          input: step.input,
        };
        break;
      case 'fail':
        return yield failed(step.kind, `mirror was asked to fail: ${step.kind}`, wire, written, step.retryAfterMs);
    }
  }
  yield ended(signal.aborted ? 'aborted' : calls > 0 ? 'tool-calls' : 'stop', wire, written);
}

/** Calls come last, as they do with language models. */
function stepsFor(request: ModelRequest): readonly MirrorStep[] {
  const results = trailingResults(request.messages);
  if (results.length > 0) return [{ type: 'say', text: describeResults(results) }];
  const message = request.messages.at(-1);
  const tools = request.tools.map(({ name }) => name);
  const steps = message?.role === 'user' ? mirrorSteps(message.content, tools) : [];
  if (steps.length === 0) return [{ type: 'say', text: describeRequest(request) }];
  return [...steps.filter(({ type }) => type !== 'call'), ...steps.filter(({ type }) => type === 'call')];
}

function trailingResults(messages: readonly Message[]): ToolMessage[] {
  const last = messages.findLastIndex(({ role }) => role !== 'tool');
  return messages.slice(last + 1).filter((message) => message.role === 'tool');
}

/** This is enough to see what came back; the transcript has the whole result. */
const SHOWN_OF_A_RESULT = 400;

function describeResults(results: readonly ToolMessage[]): string {
  const lines = results.map(({ toolName, content, isError }) => {
    const outcome = isError ? 'failed' : 'answered';
    if (content.trim() === '') return `${toolName} ${outcome} with nothing.`;
    return content.includes('\n')
      ? `${toolName} ${outcome}:\n${clip(content, SHOWN_OF_A_RESULT)}`
      : `${toolName} ${outcome}: ${quote(content, SHOWN_OF_A_RESULT)}`;
  });
  return lines.join('\n');
}

/** The details of a tool's result are for people and programs, never for a model. */
function withoutDetails(message: Message): Message {
  if (message.role !== 'tool' || message.details === undefined) return message;
  const { details: _, ...rest } = message;
  return rest;
}

function withoutImages(message: Message, show: ShowImages): Message {
  return message.role === 'user' && message.attachments ? { role: 'user', content: show(message).text } : message;
}

function readRequest(body: string): ModelRequest | undefined {
  try {
    const value: unknown = JSON.parse(body);
    const isRequest =
      isJsonObject(value) && [value.system, value.tools, value.messages].every((list) => Array.isArray(list));
    return isRequest ? (value as unknown as ModelRequest) : undefined;
  } catch {
    return undefined;
  }
}

/** What may be said of a text, after so many characters, and why it ends there if it is cut. */
function cutAsWished(
  text: string,
  written: number,
  { maxTokens = Number.POSITIVE_INFINITY, stop = [] }: AnswerWishes = {},
): { readonly text: string; readonly end?: 'stop' | 'length' | undefined } {
  const stopsAt = Math.min(...stop.map((each) => text.indexOf(each)).filter((at) => at !== -1));
  const room = maxTokens * CHARACTERS_OF_TOKEN - written;
  if (Math.min(stopsAt, room) >= text.length) return { text };
  const end = stopsAt <= room ? 'stop' : 'length';
  // Half a character is not said.
  return { text: text.slice(0, Math.min(stopsAt, room)).replace(/[\ud800-\udbff]$/, ''), end };
}

const PIECE = 48;

/** Pieces have whole characters only, because a reader may show each piece at once. */
function* piecesOf(text: string): Iterable<string> {
  const characters = [...text];
  for (let at = 0; at < characters.length; at += PIECE) yield characters.slice(at, at + PIECE).join('');
}

async function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

/** So that status and limits have something to show. */
const CHARACTERS_OF_TOKEN = 4;

function usageOf(wire: WireRequest, written: number): Usage {
  const tokens = (characters: number) => Math.ceil(characters / CHARACTERS_OF_TOKEN);
  return { input: tokens(wire.body.length), output: tokens(written), cacheRead: 0, cacheWrite: 0 };
}

function ended(stop: ModelEnd['stop'], wire: WireRequest, written: number): ModelEnd {
  return { type: 'end', stop, usage: usageOf(wire, written), responseBytes: written };
}

function failed(
  kind: ModelFailure['kind'],
  message: string,
  wire: WireRequest,
  written: number,
  retryAfterMs?: number,
): ModelEnd {
  const retryable = !['auth', 'bad-request', 'context-length', 'unknown'].includes(kind);
  const error: ModelFailure = { kind, message, retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  return { ...ended('error', wire, written), error };
}
