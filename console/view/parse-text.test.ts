import { describe, expect, it } from 'vitest';
import { parseText } from './parse-text.ts';

describe('the text of a message', () => {
  it('is paragraphs, headings and code', () => {
    expect(parseText('# Title\none\ntwo\n\n```js\nlet a;\n\n# no title\n```\nend')).toEqual([
      { kind: 'heading', parts: [{ kind: 'text', text: 'Title' }] },
      { kind: 'paragraph', parts: [{ kind: 'text', text: 'one\ntwo' }] },
      { kind: 'code', text: 'let a;\n\n# no title' },
      { kind: 'paragraph', parts: [{ kind: 'text', text: 'end' }] },
    ]);
  });

  it('has code, bold words and links inside, and a sentence ends behind a link', () => {
    expect(parseText('Use `a**b`, **now**: see https://example.com/x?y=1.')).toEqual([
      {
        kind: 'paragraph',
        parts: [
          { kind: 'text', text: 'Use ' },
          { kind: 'code', text: 'a**b' },
          { kind: 'text', text: ', ' },
          { kind: 'strong', text: 'now' },
          { kind: 'text', text: ': see ' },
          { kind: 'link', text: 'https://example.com/x?y=1' },
          { kind: 'text', text: '.' },
        ],
      },
    ]);
  });

  it.each([
    ['a fence that is not closed yet', '```\nlet a;', 'let a;'],
    ['a shorter fence inside', '````\n```\nx\n```\n````', '```\nx\n```'],
    ['a fence of the other kind inside', '~~~\n```\n~~~', '```'],
  ])('is code up to its end, with %s', (_, text, code) => {
    expect(parseText(text)).toEqual([{ kind: 'code', text: code }]);
  });

  it.each([
    '<b>bold</b>',
    '[a](javascript:alert(1))',
    'javascript:alert(1)',
    '#hash',
    '* star',
  ])('stays as it was written: %s', (text) => {
    expect(parseText(text)).toEqual([{ kind: 'paragraph', parts: [{ kind: 'text', text }] }]);
  });
});
