import { expect, it } from 'vitest';
import type { RequestFrame } from '../../../agent/request-frame.ts';
import { readPromptTexts } from '../../../recorder/cache-prefix.ts';
import { reusableBytes, shareableBytes } from './shareable-bytes.ts';

const STABLE = 'Größe "1"\n';
const frame = { system: [{ text: STABLE, cacheBoundary: true }, { text: 'It is late.' }] } as unknown as RequestFrame;
const tools = [{ name: 'read' }];
const messages = [{ role: 'user', content: 'hi' }];

const blocks = readPromptTexts(JSON.stringify({ tools, system: frame.system.map(({ text }) => ({ text })), messages }));
const joined = readPromptTexts(
  JSON.stringify({ tools, messages: [{ role: 'system', content: `${STABLE}It is late.` }, ...messages] }),
);

it.each([
  ['blocks', blocks],
  ['one message', joined],
])('the whole request could be shared in its own session: system as %s', (_, pieces) => {
  const bytes = Buffer.byteLength(pieces.map(({ text }) => text).join(''));
  expect(reusableBytes({ pieces, frame }, true)).toBe(bytes);
});

it.each([
  ['blocks', blocks, '{"name":"read"}{"text":"Größe \\"1\\"\\n'],
  ['one message', joined, '{"name":"read"}{"role":"system","content":"Größe \\"1\\"\\n'],
])('in another session it is the tools and the system prompt up to the boundary: system as %s', (_, pieces, text) => {
  expect(reusableBytes({ pieces, frame }, false)).toBe(Buffer.byteLength(text));
});

it('only the tools are certain where the boundary is not known any more', () => {
  expect(reusableBytes({ pieces: blocks }, false)).toBe('{"name":"read"}'.length);
});

it('a changed input ends what could be shared, and a needless break does not', () => {
  expect(shareableBytes(100, 100, undefined)).toBe(100);
  expect(shareableBytes(100, 40, { isInput: true })).toBe(40);
  expect(shareableBytes(100, 40, { isInput: false })).toBe(100);
});
