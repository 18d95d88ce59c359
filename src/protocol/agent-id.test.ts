import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyString } from '../testkit/any-string.ts';
import { forAll } from '../testkit/for-all.ts';
import { isValidAgentId, normalizeAccountId, normalizeAgentId } from './agent-id.ts';

describe('an agent id', () => {
  it('keeps a valid word and only lowers its case', () => {
    expect(normalizeAgentId('Work_Bot-2')).toBe('work_bot-2');
    expect(normalizeAgentId('  main ')).toBe('main');
    expect(normalizeAgentId('x--')).toBe('x--');
  });

  it('turns every run of other characters into one dash and strips the outer ones', () => {
    expect(normalizeAgentId('My  Agent!')).toBe('my-agent');
    expect(normalizeAgentId('- a -')).toBe('a');
    expect(normalizeAgentId('C:\\Users\\x')).toBe('c-users-x');
    expect(normalizeAgentId('ñandu')).toBe('andu');
  });

  it('is main when nothing usable is left', () => {
    for (const value of [undefined, null, '', '   ', '!!!', '..', '日本語'])
      expect(normalizeAgentId(value)).toBe('main');
  });

  it('is cut to 64 characters after the dashes are stripped, so it may end in one', () => {
    expect(normalizeAgentId(`${'a'.repeat(63)} b`)).toBe(`${'a'.repeat(63)}-`);
  });

  it('says which words are ids as they stand', () => {
    expect(isValidAgentId(' Main ')).toBe(true);
    expect(isValidAgentId('a'.repeat(64))).toBe(true);
    for (const value of ['', '_x', '-x', 'a b', 'a'.repeat(65), null, undefined])
      expect(isValidAgentId(value)).toBe(false);
  });

  it('can never climb out of a folder, for any text', () => {
    forAll([anyString({ maxLength: 100 })], (value) => {
      expect(normalizeAgentId(value)).toMatch(/^[a-z0-9_-]{1,64}$/);
    });
  });

  it('does not change when it is normalised again, unless it was cut', () => {
    forAll([fc.string({ maxLength: 60 })], (value) => {
      const id = normalizeAgentId(value);
      expect(normalizeAgentId(id)).toBe(id);
    });
  });
});

describe('an account id', () => {
  it('follows the same rule and falls back to default', () => {
    expect(normalizeAccountId('Biz Acct')).toBe('biz-acct');
    expect(normalizeAccountId('')).toBe('default');
    expect(normalizeAccountId(undefined)).toBe('default');
  });

  it('refuses the names that every object carries', () => {
    for (const value of ['__proto__', 'Constructor', 'prototype']) expect(normalizeAccountId(value)).toBe('default');
    expect(normalizeAccountId('toString')).toBe('tostring');
  });
});
