import { describe, expect, it } from 'vitest';
import { anyString } from '../../testkit/any-string.ts';
import { forAll } from '../../testkit/for-all.ts';
import { findMandateGaps } from './find-mandate-gaps.ts';

describe('findMandateGaps', () => {
  it.each([
    ['plain headings', '# Mandate\n## Scope\na\n## Success criteria\nb\n## Non-goals\nc'],
    ['other words', '# In scope\na\n# Acceptance Criteria\nb\n# Out of Scope\nc'],
    ['other spellings', '### SCOPE:\r\na\r\n### What success means\r\nb\r\n### Non goals and boundaries ###\r\nc'],
    ['underlined titles', 'Scope\n=====\na\n\nSuccess\n-----\nb\n\nNongoals\n---\nc'],
    ['bold lines', '**Scope**\na\n**Success criteria:**\nb\n__Non-goals__\nc'],
    ['labelled lines', '- **Scope:** a\n- Success criteria: b\n- Non-goals: c'],
    ['labelled lines between rules', 'Scope: a\n---\nSuccess: b\n---\nNon-goals: c\n---'],
    ['one heading for two topics', '## Scope and non-goals\na\n## Success\nb'],
    ['text under sub-headings', '## Scope\n### Mail\na\n## Success\n### Weekly\nb\n## Boundaries\n- c'],
  ])('is content with %s', (_case, text) => {
    expect(findMandateGaps(text)).toEqual([]);
  });

  it('names what is not there', () => {
    expect(findMandateGaps('# Mandate\n\nDo good work.')).toEqual(['scope', 'success criteria', 'non-goals']);
    expect(findMandateGaps('## Scope\na\n## Non-goals\nc')).toEqual(['success criteria']);
  });

  it('does not take what lies out of scope for the scope', () => {
    expect(findMandateGaps('## Out of scope\na\n## Success\nb')).toEqual(['scope']);
  });

  it('wants a word below each heading', () => {
    expect(findMandateGaps('## Scope\n\n## Success criteria\n\n## Non-goals\n')).toHaveLength(3);
    expect(findMandateGaps('## Scope\n### Mail\n## Success\nb\n## Non-goals\nc')).toEqual(['scope']);
  });

  it('does not read headings inside code', () => {
    expect(findMandateGaps('```\n## Scope\na\n```\n## Success\nb\n## Non-goals\nc')).toEqual(['scope']);
  });

  it('answers for any text', () => {
    forAll([anyString({ maxLength: 400 })], (text) => findMandateGaps(text).length <= 3);
  });
});
