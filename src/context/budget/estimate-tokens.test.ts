import { describe, expect, it } from 'vitest';
import { estimateTokens } from './estimate-tokens.ts';

describe('estimating tokens', () => {
  it('counts none for nothing and at least one for something', () => {
    expect(estimateTokens('')).toBe(0);
    expect(estimateTokens('a')).toBe(1);
  });

  it('counts about four characters of English prose to a token', () => {
    const prose = 'The agent reads its instructions before every answer, and it follows them to the letter. '.repeat(
      50,
    );
    expect(prose.length / estimateTokens(prose)).toBeGreaterThan(3.7);
    expect(prose.length / estimateTokens(prose)).toBeLessThan(4.8);
  });

  it('counts about one token to a Chinese character', () => {
    expect(estimateTokens('代理必须先阅读说明'.repeat(20))).toBe(180);
  });

  it('counts digits and marks as denser than prose', () => {
    expect(estimateTokens('{"a":[1,2,3]}'.repeat(20))).toBeGreaterThan(estimateTokens('abcdefghijklm'.repeat(20)));
  });

  it('does not charge a table rule or an indentation by the character', () => {
    expect(estimateTokens('-'.repeat(80))).toBeLessThan(15);
    expect(estimateTokens(' '.repeat(80))).toBeLessThan(15);
  });

  it('follows the calibration', () => {
    const text = 'some words of text '.repeat(100);
    expect(estimateTokens(text, 2)).toBeGreaterThanOrEqual(2 * estimateTokens(text) - 1);
    expect(estimateTokens(text, 2)).toBeLessThanOrEqual(2 * estimateTokens(text));
  });
});
