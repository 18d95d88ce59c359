// For any two requests, as the real serialisers write them: the shared prefix is the common bytes, and the author of the
// first changed byte is the one whose span stands there.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RequestSpan } from '../../../agent/request-draft.ts';
import { piecesOfMessage, piecesOfTool } from '../../../agent/request-text.ts';
import type { Model, ModelRequest } from '../../../models/model.ts';
import type { AssistantMessage, Message } from '../../../protocol/message.ts';
import { MODEL_PROTOCOLS } from '../../../protocol/model-protocol.ts';
import { type PromptText, readPromptTexts } from '../../../recorder/cache-prefix.ts';
import { anyString } from '../../../testkit/any-string.ts';
import { forAllAsync } from '../../../testkit/for-all.ts';
import { recordedModel } from '../replay/recorded-model.ts';
import { promptAuthorAt } from './prompt-author.ts';
import { sharedPrefix } from './shared-prefix.ts';

/** A text in pieces, each of one author. */
interface Authored {
  readonly where: RequestSpan['where'];
  readonly pieces: readonly { readonly origin: string; readonly text: string }[];
  readonly role?: 'user' | 'assistant' | 'tool';
}

it.each([...MODEL_PROTOCOLS, 'mirror'] as const)('holds for %s', async (api) => {
  const write = await writerFor(api);
  await forAllAsync([talk(), change(), fc.nat(), words()], 150, async (before, kind, at, text) => {
    const after = changed(before, kind, at, text);
    const [old, fresh] = [await write(before), await write(after)];
    const prefix = sharedPrefix(old.pieces, fresh.pieces);
    expect(prefix.bytes).toBe(commonBytes(old.pieces, fresh.pieces));
    expect(prefix.parting === undefined).toBe(prefix.bytes === bytesOf(old.pieces));
    const expected = firstChange(before, after);
    if (!expected || !prefix.parting || prefix.parting.foundIn !== 'both') return;
    const found = promptAuthorAt(fresh.pieces, fresh.spans, prefix.parting);
    expect(found?.name).toBe(expected);
  });
});

it.each([...MODEL_PROTOCOLS, 'mirror'] as const)('finds the author of every character that %s writes', async (api) => {
  const write = await writerFor(api);
  await forAllAsync([talk(), fc.nat()], 60, async (said, seed) => {
    const { pieces, spans } = await write(said);
    for (const unit of said.filter(({ where }) => where !== 'tools')) {
      const whole = unit.pieces.map(({ text }) => text).join('');
      const index = wholeCharacter(whole, seed % whole.length);
      const written = JSON.stringify(whole).slice(1, -1);
      const piece = pieces.findIndex(({ text }) => text.includes(`"${written}"`));
      // In chat completions all system blocks are one text.
      if (piece === -1) continue;
      const start = (pieces[piece]?.text.indexOf(`"${written}"`) ?? 0) + 1;
      const char = start + JSON.stringify(whole.slice(0, index)).length - 2;
      expect(promptAuthorAt(pieces, spans, { piece, char })?.name).toBe(authorIn(unit, index));
    }
  });
});

const EDITOR = 'EDITED.md';

function talk() {
  const piece = (origins: readonly string[]) => fc.record({ origin: fc.constantFrom(...origins), text: words() });
  const unit = (where: RequestSpan['where'], origins: readonly string[], role?: Authored['role']) =>
    fc
      .array(piece(origins), { minLength: 1, maxLength: 4 })
      .map((pieces): Authored => ({ where, pieces: distinct(pieces, where), ...(role && { role }) }));
  return fc
    .tuple(
      fc.array(unit('tools', ['tool']), { maxLength: 3 }),
      fc.array(unit('system', ['/w/AGENTS.md', '/w/SOUL.md', 'handler h']), { minLength: 1, maxLength: 2 }),
      fc.array(
        fc.oneof(
          unit('messages', ['message', 'injection of mailer'], 'user'),
          unit('messages', ['model'], 'assistant'),
        ),
        { minLength: 1, maxLength: 6 },
      ),
    )
    .map(([tools, system, messages]) => [...tools, ...system, ...unlike(messages)]);
}

/** Texts without a meaning for JSON or serialisers at their ends, and no two units alike. */
function words() {
  return anyString({ minLength: 1, maxLength: 12 }).map((text) => `«${text}»`);
}

/** Two pieces of the same author in a row are one piece. */
function distinct(pieces: Authored['pieces'], where: string): Authored['pieces'] {
  return pieces.map(({ origin, text }, index) => ({
    origin: where === 'tools' ? 'tool t' : origin.replace(/^(\/w\/)/, `$1${index}-`),
    text: `${where}${index}${text}`,
  }));
}

/** The conversation ends with a person, and no unit has the words of another one. */
function unlike(messages: readonly Authored[]): readonly Authored[] {
  const ended: readonly Authored[] = [
    ...messages,
    { where: 'messages', role: 'user', pieces: [{ origin: 'message', text: 'the end' }] },
  ];
  return ended.map((unit, index) => ({
    ...unit,
    pieces: [
      { ...(unit.pieces[0] ?? { origin: 'message', text: '' }), text: `${index}:${unit.pieces[0]?.text}` },
      ...unit.pieces.slice(1),
    ],
  }));
}

function change() {
  return fc.constantFrom('edit' as const, 'append' as const, 'remove' as const, 'grow' as const);
}

/** One unit with other words by an author of its own, one unit less, or a conversation that goes on. */
function changed(said: readonly Authored[], kind: 'edit' | 'append' | 'remove' | 'grow', at: number, text: string) {
  const index = at % said.length;
  const unit = said[index] as Authored;
  const origin = { tools: 'tool t', system: EDITOR, messages: unit.role === 'assistant' ? 'model' : 'message' }[
    unit.where
  ];
  const edited = { origin, text };
  const put = (pieces: Authored['pieces']) => said.map((each, place) => (place === index ? { ...each, pieces } : each));
  if (kind === 'edit') return put([...unit.pieces.slice(0, -1), edited]);
  if (kind === 'append') return put([...unit.pieces, edited]);
  if (kind === 'remove' && said.filter(({ where }) => where === unit.where).length > 1)
    return said.filter((_, place) => place !== index);
  return [...said, { where: 'messages', role: 'user', pieces: [{ origin: 'message', text }] } satisfies Authored];
}

/** Who wrote the first character that is not as before; undefined when units were put in, taken out or cut. */
function firstChange(before: readonly Authored[], after: readonly Authored[]): string | undefined {
  if (before.length !== after.length) return undefined;
  const index = after.findIndex((unit, place) => wordsOf(unit) !== wordsOf(before[place] as Authored));
  const [was, is] = [before[index], after[index]];
  if (!was || !is || is.where === 'tools') return is && 't';
  const [old, fresh] = [wordsOf(was), wordsOf(is)];
  let at = 0;
  while (at < fresh.length && old[at] === fresh[at]) at += 1;
  if (at === fresh.length) return undefined;
  return authorIn(is, wholeCharacter(fresh, at));
}

/** Half a pair is no character. */
function wholeCharacter(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text[at] ?? '') ? at - 1 : at;
}

function authorIn({ pieces }: Authored, index: number): string | undefined {
  let end = 0;
  const found = pieces.find(({ text }) => {
    end += text.length;
    return index < end;
  });
  return found?.origin.replace(/^handler |^tool /, '').replace(/^(injection) of .*$/, '$1');
}

function wordsOf({ pieces }: Authored): string {
  return pieces.map(({ text }) => text).join('');
}

async function writerFor(api: Model['api']) {
  const capture = { provider: 'p', model: 'm', url: 'http://127.0.0.1/v1/x', images: [] };
  const model = await recordedModel(capture, { api, messages: 0, entries: 0, images: 0 });
  return async (said: readonly Authored[]) => {
    const request = requestOf(said);
    const { body } = await model.prepare(request);
    return { pieces: readPromptTexts(body), spans: spansOf(said, request) };
  };
}

function requestOf(said: readonly Authored[]): ModelRequest {
  const of = (where: RequestSpan['where']) => said.filter((unit) => unit.where === where);
  return {
    tools: of('tools').map((unit, index) => ({ name: `tool_${index}`, description: wordsOf(unit), parameters: {} })),
    system: of('system').map((unit, index) => ({ text: wordsOf(unit), ...(index === 0 && { cacheBoundary: true }) })),
    messages: of('messages').map((unit): Message => {
      const content = wordsOf(unit);
      if (unit.role !== 'assistant') return { role: 'user', content };
      return {
        role: 'assistant',
        content: unit.pieces.map(({ text }) => ({ type: 'text', text })),
      } as AssistantMessage;
    }),
  };
}

function spansOf(said: readonly Authored[], request: ModelRequest): readonly RequestSpan[] {
  const counts = { tools: 0, system: 0, messages: 0 };
  return said.flatMap(({ where, pieces }): RequestSpan[] => {
    const index = counts[where]++;
    const tool = request.tools[index];
    if (where === 'tools' && tool)
      return piecesOfTool(tool).map((piece) => ({ where, index, origin: 'tool t', chars: piece.length }));
    const message = request.messages[index];
    if (where === 'messages' && message?.role === 'assistant')
      return piecesOfMessage(message).map((piece) => ({ where, index, origin: 'model', chars: piece.length }));
    return pieces.map(({ origin, text }) => ({ where, index, origin, chars: text.length }));
  });
}

/** Byte by byte, as slowly as it is plain. */
function commonBytes(before: readonly PromptText[], now: readonly PromptText[]): number {
  const flat = (pieces: readonly PromptText[]) =>
    pieces.flatMap(({ path, text }) => [...Buffer.from(text)].map((byte) => `${path} ${byte}`));
  const [old, fresh] = [flat(before), flat(now)];
  const end = old.findIndex((byte, index) => byte !== fresh[index]);
  // A piece that is the beginning of another one is another piece.
  return end === -1 ? old.length : end;
}

function bytesOf(pieces: readonly PromptText[]): number {
  return pieces.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}
