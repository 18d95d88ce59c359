import { describe, expect, it } from 'vitest';
import { markWords } from './mark-words.ts';

const marked = (text: string, question: string) =>
  markWords(text, question)
    .map((part) => (part.isFound ? `[${part.text}]` : part.text))
    .join('');

describe('the words that are looked for', () => {
  it.each([
    ['An Invoice from Übersee, invoiced.', 'invo ubersee', 'An [Invoice] from [Übersee], [invoiced].'],
    ['to log-in again', 'log-in', 'to [log]-[in] again'],
    ['overseas', 'seas', 'overseas'],
    ['nothing', '?!', 'nothing'],
    ['<b>bold</b>', 'bold', '<b>[bold]</b>'],
    ['', 'a', ''],
  ])('in %j for %j are %j', (text, question, expected) => {
    expect(marked(text, question)).toBe(expected);
  });
});
