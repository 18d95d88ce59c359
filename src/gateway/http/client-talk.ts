// What an API client says, read from its whole history: what is new, what a fresh session begins with, and which results
// of its own tools it brings. Both of OpenAI's APIs are read into the same form first. The functions are pure.

import type { JsonValue } from '../../protocol/json.ts';
import { RequestInvalidError } from '../errors.ts';
import type { GivenResult } from '../services/client-calls.ts';
import type { FilePart } from './file-parts.ts';

/** One message of the client's history. */
export type Said =
  | {
      readonly role: 'system' | 'user';
      readonly text: string;
      readonly files: readonly FilePart[];
    }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly files: readonly FilePart[];
      /** The calls of the client's own tools. */
      readonly calls?: readonly SaidCall[] | undefined;
    }
  | { readonly role: 'tool'; readonly callId: string; readonly text: string; readonly files: readonly FilePart[] };

export interface SaidCall {
  readonly id: string;
  readonly name: string;
  readonly params: JsonValue;
}

/** A message that a fresh session begins with. */
export type SaidBefore =
  | { readonly role: 'user'; readonly text: string; readonly files: readonly FilePart[] }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly files: readonly FilePart[];
      readonly calls?: readonly SaidCall[] | undefined;
    }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly name: string;
      readonly text: string;
      readonly isMissing?: true | undefined;
      readonly files: readonly FilePart[];
    };

export interface ClientTalk {
  readonly text: string;
  readonly files: readonly FilePart[];
  /** Undefined where the session has a history already. */
  readonly seed: readonly SaidBefore[] | undefined;
  /** Set when the request brings results and nothing else: the run that waits for them goes on. */
  readonly results?: readonly GivenResult[] | undefined;
  /** The calls of the last answer, which the new message passes over. */
  readonly passedOver: readonly string[];
}

/** `where` names the field with the messages in errors. */
export function readTalk(said: readonly Said[], hasSession: boolean, where: string): ClientTalk {
  const lastAnswer = said.findLastIndex(({ role }) => role === 'assistant');
  const fresh = said.slice(lastAnswer + 1);
  const calls = callsOf(said[lastAnswer]);
  const files = fresh.flatMap((each) => each.files);
  const hasWords = fresh.some(({ role, text }) => role === 'user' && text.trim() !== '') || files.length > 0;
  const results = fresh.flatMap((each) => (each.role === 'tool' ? [{ id: each.callId, content: each.text }] : []));
  const made = new Set(said.flatMap(callsOf).map(({ id }) => id));
  const stray = results.find(({ id }) => !made.has(id));
  if (stray && hasWords) {
    throw new RequestInvalidError({
      problem: `${where} has the result of the call "${stray.id.slice(0, 100)}", which no message before it makes.`,
      param: where,
    });
  }
  if (results.length > 0 && !hasWords) return { text: '', files: [], seed: undefined, results, passedOver: [] };
  if (results.length > 0 && hasSession) {
    throw new RequestInvalidError({
      problem: `${where} has results of tools and a new message behind them. In a session, bring the results alone first; the new message comes with the next request.`,
      param: where,
    });
  }
  const { seed, text } = hasSession ? { seed: [], text: joinNew(fresh) } : splitSeed(said, lastAnswer);
  if (text.trim() === '' && files.length === 0) {
    throw new RequestInvalidError({
      problem: 'The last message must be a user message with some text or a file, or the result of a tool.',
      param: where,
    });
  }
  return {
    text,
    files,
    seed: hasSession || seed.length === 0 ? undefined : seed,
    passedOver: calls.map(({ id }) => id),
  };
}

function callsOf(said: Said | undefined): readonly SaidCall[] {
  return said?.role === 'assistant' ? (said.calls ?? []) : [];
}

/** In a session with a history, only the messages after the last answer are new. */
function joinNew(said: readonly Said[]): string {
  return said.some(({ role }) => role === 'user') ? joinTexts(said.map(({ text }) => text)) : '';
}

/** The client's system messages are put in front of the user's first message. */
function splitSeed(said: readonly Said[], lastAnswer: number): { seed: readonly SaidBefore[]; text: string } {
  const system = said.filter(({ role }) => role === 'system').map(({ text }) => text);
  const lastResult = said.findLastIndex(({ role }) => role === 'tool');
  const end = Math.max(lastAnswer, lastResult) + 1;
  const before = said.slice(0, end).filter(isTalk);
  const after = said.slice(end).filter(isTalk);
  const texts = after.map(({ text }) => text);
  const firstUser = before.findIndex(({ role }) => role === 'user');
  if (firstUser === -1) {
    return { seed: joinSaid(before), text: texts.length === 0 ? '' : joinTexts([...system, ...texts]) };
  }
  const introduced = before.map((each, index) =>
    index === firstUser ? { ...each, text: joinTexts([...system, each.text]) } : each,
  );
  return { seed: joinSaid(introduced), text: joinTexts(texts) };
}

function isTalk(said: Said): boolean {
  if (said.role === 'system') return false;
  return said.role === 'tool' || said.text.trim() !== '' || said.files.length > 0 || callsOf(said).length > 0;
}

/**
 * Neighbouring messages of the same role are joined, because some models require alternating roles. Every call is
 * followed by its result, in the order of the calls; for one without a result the model is told that there is none.
 */
function joinSaid(said: readonly Said[]): SaidBefore[] {
  const merged: SaidBefore[] = [];
  const results = new Map(said.flatMap((each) => (each.role === 'tool' ? [[each.callId, each.text] as const] : [])));
  for (const each of said) {
    if (each.role === 'tool') continue;
    const { text, files } = each;
    const role = each.role === 'assistant' ? 'assistant' : 'user';
    const calls = callsOf(each);
    const last = merged.at(-1);
    if (last?.role === role && !('calls' in last))
      merged[merged.length - 1] = { ...last, text: joinTexts([last.text, text]), files: [...last.files, ...files] };
    else merged.push({ role, text, files });
    if (calls.length === 0) continue;
    const joined = merged[merged.length - 1];
    if (joined?.role === 'assistant') merged[merged.length - 1] = { ...joined, calls };
    merged.push(
      ...calls.map(({ id, name }): SaidBefore => {
        const result = results.get(id);
        const about = { role: 'tool', callId: id, name, files: [] } as const;
        return result === undefined ? { ...about, text: NO_RESULT, isMissing: true } : { ...about, text: result };
      }),
    );
  }
  return merged;
}

const NO_RESULT = 'The client brought no result of this call.';

function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}
