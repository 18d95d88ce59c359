import { Lexer } from 'marked';
import { describe, expect, it } from 'vitest';
import { type LexedMarkdown, lexMarkdown } from './lex-markdown.ts';

const ANSWER = `# Title

A paragraph with **bold**, \`code\` and [a link][1].

1. one
2. two

   with a paragraph

- a
  - b

> a quote
> > another

\`\`\`ts
const x = 1;

const y = 2;
\`\`\`

| a | b |
| - | - |
| 1 | 2 |

Heading
=======

[1]: https://example.com/
Last words of it.`;

describe('Markdown that grows', () => {
  it('is taken apart as the whole text is, whatever the pieces', () => {
    for (const step of [1, 3, 7, 40, 200]) {
      let lexed: LexedMarkdown | undefined;
      for (let end = step; end < ANSWER.length + step; end += step) {
        const text = ANSWER.slice(0, end);
        lexed = lexMarkdown(text, lexed);
        const whole = lexMarkdown(text);
        expect(lexed.blocks.map(({ type, raw }) => [type, raw])).toEqual(
          whole.blocks.map(({ type, raw }) => [type, raw]),
        );
      }
      expect(lexed?.blocks).toHaveLength(Lexer.lex(ANSWER, { gfm: true, breaks: true }).length);
    }
  });

  it('is read from its last blocks on', () => {
    const before = lexMarkdown('One.\n\nTwo.\n\nThree.');
    const after = lexMarkdown('One.\n\nTwo.\n\nThree. And more.', before);
    expect(after.blocks[0]).toBe(before.blocks[0]);
    expect(after.blocks.at(-1)?.raw).toBe('Three. And more.');
  });

  it('is read anew when it is another text', () => {
    const { blocks } = lexMarkdown('Another.', lexMarkdown('One.\n\nTwo.'));
    expect(blocks.map(({ raw }) => raw)).toEqual(['Another.']);
  });
});

describe('Markdown that would hold up the page', () => {
  it.each([
    ['stars', `${'*'.repeat(3_000)}x${'*'.repeat(3_000)}`],
    ['pairs of underlines', '_a'.repeat(50_000)],
    ['brackets', `${'['.repeat(20_000)}a${']'.repeat(20_000)}`],
    ['quotes in quotes', `${'> '.repeat(20_000)}deep`],
    ['quotes without spaces', `${'>'.repeat(20_000)}deep`],
    ['lists in lists', `${'- '.repeat(20_000)}deep`],
    ['a very long text', 'word '.repeat(400_000)],
  ])('keeps every letter: %s', (_, text) => {
    const began = performance.now();
    const { blocks } = lexMarkdown(text);
    expect(blocks.map(({ raw }) => raw).join('')).toBe(text);
    // Seconds of the parser are a fault on any machine; here it is a few milliseconds.
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
