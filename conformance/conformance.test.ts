import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ADAPTER } from './adapter.ts';
import { formatResult } from './format-result.ts';
import { type Deviations, runSuites } from './run-suites.ts';
import { loadVectorSuites } from './vector-suite.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const suites = await loadVectorSuites(here('./vectors'));
const deviations = JSON.parse(await readFile(here('./deviations.json'), 'utf8')) as Deviations;

it('every adapted case behaves as recorded or says why not', async () => {
  const result = await runSuites(suites, ADAPTER, deviations);
  expect(result.totals.failed, formatResult(result)).toBe(0);
  expect(result.totals.passed).toBeGreaterThan(0);
}, 120_000);

it('the adapter names only suites and functions that were recorded', () => {
  const recorded = new Map(suites.map(({ suite, cases }) => [suite, new Set(cases.map(({ fn }) => fn))]));
  const unknown = Object.entries(ADAPTER).flatMap(([suite, functions]) =>
    Object.keys(functions).filter((fn) => !recorded.get(suite)?.has(fn)),
  );
  expect(unknown).toEqual([]);
});

it('every deviation belongs to a recorded case and has a reason', () => {
  const ids = new Set(suites.flatMap(({ cases }) => cases.map(({ id }) => id)));
  expect(Object.keys(deviations).filter((id) => !ids.has(id))).toEqual([]);
  expect(Object.entries(deviations).filter(([, reason]) => !/^[A-Z].{15,}\.$/.test(reason))).toEqual([]);
});
