// A conformance result for people, as a table with the failures below it, and for programs, as one JSON object.

import type { CaseFailure, ConformanceResult, Counts } from './run-suites.ts';

export function formatResult({ totals, suites }: ConformanceResult): string {
  const rows = Object.entries(suites)
    .filter(([, suite]) => casesRun(suite) > 0)
    .map(([name, suite]) => [name, String(suite.passed), String(suite.deviating), String(suite.failed)]);
  const total = ['total', String(totals.passed), String(totals.deviating), String(totals.failed)];
  const sections = [
    formatTable([['suite', 'passed', 'deviating', 'failed'], ...rows, total]),
    ...notAdaptedSection(suites),
    ...Object.values(suites).flatMap((suite) => suite.failures.map(formatFailure)),
  ];
  return `${sections.join('\n\n')}\n`;
}

export function resultAsJson({ totals, suites }: ConformanceResult): unknown {
  return {
    totals,
    suites: Object.fromEntries(
      Object.entries(suites).map(([name, { passed, deviating, failed, failures, deviatingIds }]) => [
        name,
        { passed, deviating, failed, failingCases: failures.map(({ id }) => id), deviatingCases: deviatingIds },
      ]),
    ),
    notAdapted: listNotAdapted(suites),
  };
}

function notAdaptedSection(suites: ConformanceResult['suites']): string[] {
  const lines = Object.entries(suites).flatMap(([name, suite]) => {
    const missing = [...suite.notAdapted];
    if (missing.length === 0) return [];
    if (casesRun(suite) === 0) return [`  ${name}`];
    return [`  ${name}: only ${missing.map(([fn, cases]) => `${fn} (${cases})`).join(', ')}`];
  });
  return lines.length === 0 ? [] : [['No adapter yet:', ...lines].join('\n')];
}

function casesRun({ passed, deviating, failed }: Counts): number {
  return passed + deviating + failed;
}

function listNotAdapted(suites: ConformanceResult['suites']): { suite: string; fn: string; cases: number }[] {
  return Object.entries(suites).flatMap(([suite, { notAdapted }]) =>
    [...notAdapted].map(([fn, cases]) => ({ suite, fn, cases })),
  );
}

function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const format = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return rows.map(format).join('\n');
}

function formatFailure(failure: CaseFailure): string {
  const title = `FAILED ${failure.id} (${failure.fn})${failure.note === undefined ? '' : `: ${failure.note}`}`;
  if (failure.reason === 'deviation-passes') {
    return `${title}\n  It is listed in deviations.json but passes now: remove it from the list.`;
  }
  if (failure.reason === 'error') return `${title}\n  threw ${shorten(failure.got)}`;
  const { expected, got } = narrow(failure.expected, failure.got);
  return `${title}\n  expected ${shorten(expected)}\n  got      ${shorten(got)}`;
}

/** Drops what both sides share, so that the difference stays in view. */
function narrow(expected: unknown, got: unknown): { expected: unknown; got: unknown } {
  const wanted = asPlainObject(expected);
  const given = asPlainObject(got);
  if (wanted === undefined || given === undefined) return { expected, got };
  const differs = ([key, value]: [string, unknown], other: Record<string, unknown>) =>
    JSON.stringify(value) !== JSON.stringify(other[key]);
  return {
    expected: Object.fromEntries(Object.entries(wanted).filter((entry) => differs(entry, given))),
    got: Object.fromEntries(Object.entries(given).filter((entry) => differs(entry, wanted))),
  };
}

function asPlainObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

function shorten(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length <= 600 ? text : `${text.slice(0, 600)}… (${text.length} characters)`;
}
