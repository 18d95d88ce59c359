import { expect, it } from 'vitest';
import type { RequestSpan } from '../../../agent/request-draft.ts';
import type { Message } from '../../../protocol/message.ts';
import { talkPieces } from './talk-pieces.ts';

const question: Message = { role: 'user', content: 'Note: it rains. Where is it?' };
const answer: Message = { role: 'assistant', content: [{ type: 'text', text: 'In the shed.' }] };
const span = (index: number, origin: string, chars: number): RequestSpan => ({
  where: 'messages',
  index,
  origin,
  chars,
});
const spans = [span(0, 'plugin rain', 16), span(0, 'message', 12), span(1, 'model', 12)];

it('makes a piece of each message, with the authors of its words', () => {
  const { pieces, isWhole } = talkPieces('agent:main:main', spans, [question, answer]);
  expect(isWhole).toBe(true);
  expect(pieces.map(({ text, about }) => [text, about.spans])).toEqual([
    [
      'Note: it rains. Where is it?',
      [
        ['plugin rain', 16],
        ['message', 12],
      ],
    ],
    ['In the shed.', [['model', 12]]],
  ]);
});

it('gives later runs of the session the very same pieces, and others their own', () => {
  const { pieces } = talkPieces('agent:main:main', spans, [question, answer]);
  const later = talkPieces('agent:main:main', spans, [question, answer, { role: 'user', content: 'Thank you.' }]);
  expect(later.pieces[0]).toBe(pieces[0]);
  const elsewhere = talkPieces('agent:main:other', spans, [question, answer]);
  expect(elsewhere.pieces[0]).toMatchObject({ scope: 'agent:main:other', hash: pieces[0]?.hash });
  const [retold] = talkPieces('agent:main:main', [span(0, 'compaction', 28)], [question]).pieces;
  expect(retold?.about.spans).toEqual([['compaction', 28]]);
});

it('says when the words of a span are not known', () => {
  expect(talkPieces('agent:main:main', [span(0, 'message', 5)], [question])).toEqual({ pieces: [], isWhole: false });
  expect(talkPieces('agent:main:main', spans, [question])).toMatchObject({ isWhole: false });
});
