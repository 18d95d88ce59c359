// The benchmarks that use parts of the product directly, in their shortest form: when such a part changes, its benchmark must not
// break unnoticed until somebody measures again. The figures of a short form say nothing.

import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

describe('the short form of a benchmark still works', () => {
  it('bench:receipts', () => {
    const { facts, asked, command } = measure('receipts.mjs', '--runs', '60');
    expect(facts).toMatchObject({ runs: 60, indexed: 60 });
    // The rule is in every prompt of the first 700 runs.
    expect(asked[0]).toMatchObject({ text: 'never push to main', present: 60, absent: 0 });
    expect(command[0]).toMatchObject({ status: 0, first: expect.stringContaining('60 of 60 runs') });
  });

  it('bench:context', () => {
    expect(measure('context.mjs', '--short')).toHaveLength(7);
  });

  it('bench:hooks', () => {
    const measured = measure('hooks.mjs', '--short');
    for (const name of ['dispatch', 'records', 'copies', 'worker']) expect(measured[name]).not.toHaveLength(0);
  });

  it('bench:recorder', () => {
    const flags = ['--gateways', '1', '--rounds', '1', '--turns', '2', '--warm-ups', '4', '--behind', '0'];
    expect(measure('recorder.mjs', ...flags).rows).toHaveLength(2);
  });
});

/** Resolves with the numbers that the benchmark prints. */
// biome-ignore lint/suspicious/noExplicitAny: each benchmark prints a form of its own.
function measure(file: string, ...flags: readonly string[]): any {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`bench/${file}`, '--json', ...flags], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`bench/${file} ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}
