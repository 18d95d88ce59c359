import { describe, expect, it } from 'vitest';
import { RedactPatternError } from '../protocol/errors.ts';
import { problemOfRedactPattern } from '../protocol/redact-pattern.ts';
import { boundValue, RECORD_LIMITS } from './bound-value.ts';
import { compileRedactor } from './redactor.ts';
import { StreamedText } from './streamed-text.ts';

const KEY = `sk-ant-${'k3y'.repeat(8)}`;

describe('secrets that are known word for word', () => {
  it('are hidden in texts, values and names, also inside of JSON, and the longer one first', async () => {
    const redactor = await compileRedactor();
    const said = 'Open "Sesame" now, or Open "Sesame"!';
    expect(redactor.text(said)).toBe(said);
    redactor.know(['Open "Sesame"', 'Open "Sesame" now', '']);
    expect(redactor.text(said)).toBe('[redacted], or [redacted]!');
    expect(redactor.text(JSON.stringify({ said }))).toBe('{"said":"[redacted], or [redacted]!"}');
    expect(redactor.value({ 'Open "Sesame"': ['Open "Sesame" now'] })).toEqual({ '[redacted]': ['[redacted]'] });
  });

  it('are hidden in long texts and names that were looked at before they were known', async () => {
    const redactor = await compileRedactor();
    const record = { Lantern77: `${'x '.repeat(2_000)}Lantern77` };
    expect(JSON.stringify(boundValue(record, RECORD_LIMITS, redactor.text))).toContain('Lantern77');
    redactor.know(['Lantern77']);
    expect(JSON.stringify(boundValue(record, RECORD_LIMITS, redactor.text))).not.toContain('Lantern77');
  });

  it('are found in pieces that come one after the other, also with blanks in them', async () => {
    const redactor = await compileRedactor();
    redactor.know(['green Lantern 7']);
    const streamed = new StreamedText(redactor);
    const pieces = ['A gr', 'een ', 'Lantern', ' 7 it is.\n', 'Bye'].flatMap((text, at) => streamed.add({ text, at }));
    expect([...pieces, ...streamed.end()].map(({ text }) => text)).toEqual(['A [redacted] it is.\n', 'Bye']);
  });
});

describe('patterns of the operator', () => {
  it('come on top of what is recognised, in texts, values and names', async () => {
    const { text, value } = await compileRedactor(['case-\\d{4}', '/Zebra/']);
    expect(text(`CASE-1234 of zebra and Zebra with ${KEY}`)).toBe(
      '[redacted] of zebra and [redacted] with sk-[redacted]',
    );
    expect(value({ 'case-1234': ['about case-1234', 5] })).toEqual({ '[redacted]': ['about [redacted]', 5] });
  });

  it('are matched in pieces that come one after the other, also with blanks in them', async () => {
    const streamed = new StreamedText(await compileRedactor(['agent smith']));
    const pieces = ['Ask a', 'gent ', 'Smith', ' now.\n', 'Bye'].flatMap((text, at) => streamed.add({ text, at }));
    const all = [...pieces, ...streamed.end()].map(({ text }) => text);
    expect(all).toEqual(['Ask [redacted] now.\n', 'Bye']);
  });

  it.each([
    '(a+)+$',
    '(a|a)*$',
    '(a|aa)+$',
    '\\w*\\w*\\w*\\w*!',
    '(.*)*x',
  ])('take bounded time with %s', async (pattern) => {
    const { text } = await compileRedactor([pattern]);
    // A backtracking engine would need longer than the universe has.
    expect(text(`${'a'.repeat(4_000)}b`)).toBeTypeOf('string');
  });

  it.each([
    ['[', /unterminated character class/i],
    ['(?=a)b', /look-ahead/],
    ['(?<!a)b', /look-ahead/],
    ['(a)\\1', /references to groups/],
    ['(?<n>a)\\k<n>', /references to groups/],
    ['x*', /matches an empty text/],
    ['a{1,5000}', /more than 1000 times/],
    ['/a/q', /flag/i],
  ])('that cannot be used are refused with a reason: %s', async (pattern, problem) => {
    expect(problemOfRedactPattern(pattern)).toMatch(problem);
  });

  it('that are too long are refused', () => {
    expect(problemOfRedactPattern('a'.repeat(1_001))).toMatch(/more than 1000 characters/);
  });

  it.each([
    '\\(\\?=',
    '[(?=]',
    '\\d{3}-\\d{2}',
    '\\bcase\\s+\\w+',
    '/(?:a|b)c/gi',
    '\\\\x',
  ])('that can be used are not refused: %s', async (pattern) => {
    expect(problemOfRedactPattern(pattern)).toBeUndefined();
    await compileRedactor([pattern]);
  });

  it('that the engine does not have end with an error that names them', async () => {
    await expect(compileRedactor(['fine', '(?=x)'])).rejects.toThrow(RedactPatternError);
    await expect(compileRedactor(['fine', '(?=x)'])).rejects.toThrow(/logging\.redactPatterns\[1\] cannot be used/);
  });
});
