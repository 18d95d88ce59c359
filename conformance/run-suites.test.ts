import { describe, expect, it } from 'vitest';
import { formatResult, resultAsJson } from './format-result.ts';
import { runSuites } from './run-suites.ts';

const suites = [
  {
    suite: 's',
    cases: [
      { id: 'same', fn: 'double', input: 2, output: 4 },
      { id: 'other', fn: 'double', note: 'off by one', input: 2, output: 5 },
      { id: 'throws', fn: 'explode', input: null, output: null },
      { id: 'unknown', fn: 'toString', input: 1, output: 1 },
    ],
  },
  { suite: 'later', cases: [{ id: 'x', fn: 'double', input: 1, output: 1 }] },
];

const adapter = {
  s: {
    double: (input: unknown) => Number(input) * 2,
    explode: () => {
      throw new Error('bang');
    },
  },
};

describe('a conformance run', () => {
  it('counts what passes, what differs and what throws, and lists what has no adapter', async () => {
    const result = await runSuites(suites, adapter, {});
    expect(resultAsJson(result)).toEqual({
      totals: { passed: 1, deviating: 0, failed: 2 },
      suites: {
        s: { passed: 1, deviating: 0, failed: 2, failingCases: ['other', 'throws'], deviatingCases: [] },
        later: { passed: 0, deviating: 0, failed: 0, failingCases: [], deviatingCases: [] },
      },
      notAdapted: [
        { suite: 's', fn: 'toString', cases: 1 },
        { suite: 'later', fn: 'double', cases: 1 },
      ],
    });
    const text = formatResult(result);
    expect(text).toContain('FAILED other (double): off by one\n  expected 5\n  got      4');
    expect(text).toContain('threw Error: bang');
  });

  it('accepts a difference that is listed with its reason', async () => {
    const { totals } = await runSuites(suites, adapter, {
      other: 'We round.',
      throws: 'We refuse.',
      elsewhere: 'Not here.',
    });
    expect(totals).toEqual({ passed: 1, deviating: 2, failed: 0 });
  });

  it('refuses a listed difference that is none', async () => {
    const result = await runSuites(suites, adapter, {
      same: 'No longer true.',
      other: 'We round.',
      throws: 'We refuse.',
    });
    expect(result.totals).toEqual({ passed: 0, deviating: 2, failed: 1 });
    expect(formatResult(result)).toContain('listed in deviations.json but passes');
  });
});
