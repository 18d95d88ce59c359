import { describe, expect, it } from 'vitest';
import { resolveBootstrapLimits } from './bootstrap-limits.ts';
import type { Config } from './schema.ts';

const limits = (defaults: object, own?: object) => {
  return resolveBootstrapLimits(
    { agents: { defaults, list: [{ id: 'a', ...own }] } } as Config,
    own === undefined ? undefined : 'a',
  );
};

describe('the limits for bootstrap files', () => {
  it('are 12,000 and 60,000 characters, no token limit, and a warning every time', () => {
    const usual = { maxChars: 12_000, totalMaxChars: 60_000, warningMode: 'always' };
    expect(resolveBootstrapLimits(undefined)).toEqual(usual);
    expect(resolveBootstrapLimits({}, 'a')).toEqual(usual);
  });

  it('come from the agent, else from the defaults, whole numbers in either case', () => {
    expect(limits({ bootstrapMaxChars: 5000, bootstrapMaxTokens: 900.5 }, { bootstrapMaxChars: 77.9 })).toMatchObject({
      maxChars: 77,
      maxTokens: 900,
    });
    expect(limits({ bootstrapTotalMaxChars: 9000 }, {})).toMatchObject({ totalMaxChars: 9000 });
    expect(limits({ bootstrapMaxChars: 5000 })).toMatchObject({ maxChars: 5000 });
  });

  it.each([
    '7000',
    0,
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    {},
  ])('are the built-in ones when %j is set', (value) => {
    expect(limits({ bootstrapMaxChars: 5000 }, { bootstrapMaxChars: value })).toMatchObject({ maxChars: 12_000 });
    expect(limits({ bootstrapMaxTokens: value })).not.toHaveProperty('maxTokens');
  });

  it('take the warning mode only in its exact spelling', () => {
    expect(limits({ bootstrapPromptTruncationWarning: 'once' }).warningMode).toBe('once');
    expect(limits({ bootstrapPromptTruncationWarning: 'Once' }).warningMode).toBe('always');
  });
});
