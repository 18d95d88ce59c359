import { expect, it } from 'vitest';
import { FoundPieces } from './find-pieces.ts';
import { promptPiece } from './prompt-piece.ts';

const said = (text: string) => promptPiece('', 'messages', [{ origin: 'user', text }]);

it('marks stored pieces wherever their numbers begin, and only tells the places of those that are not stored', () => {
  const found = new FoundPieces({ text: 'pears', ignoresCase: false }, 1_000_000, 1_000_001);
  found.look(1_000_000, said('I like plums.'));
  found.look(1_000_001, said('I like pears.'));
  found.look(-1, said('No pears today.'));
  expect([1_000_000, 1_000_001, 1_000_002, -1].map(found.has)).toEqual([false, true, false, false]);
  expect([...found.places.keys()]).toEqual([1_000_001, -1]);
});
