import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ADAPTER } from './adapter.ts';
import { DEVIATION_RULES, explainDeviation } from './deviation-rules.ts';
import { formatResult } from './format-result.ts';
import { type ConformanceResult, type Deviations, runSuites } from './run-suites.ts';
import { loadVectorSuites } from './vector-suite.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const suites = await loadVectorSuites(here('./vectors'));
const own = await loadVectorSuites(here('./own-cases'));
const deviations = JSON.parse(await readFile(here('./deviations.json'), 'utf8')) as Deviations;

const recorded = await runSuites(suites, ADAPTER, deviations, explainDeviation);
const neighbours = await runSuites(own, ADAPTER, {}, explainDeviation);
const explainedBy = (result: ConformanceResult): Deviations =>
  Object.assign({}, ...Object.values(result.suites).map(({ explained }) => explained));

it('every adapted case behaves as recorded or says why not', () => {
  expect(recorded.totals.failed, formatResult(recorded)).toBe(0);
  expect(recorded.totals.passed).toBeGreaterThan(0);
});

it('so do the neighbours of the recorded cases', () => {
  expect(neighbours.totals.failed, formatResult(neighbours)).toBe(0);
  expect(neighbours.totals.passed).toBeGreaterThan(0);
});

it('the list of recorded cases that deviate is what the rules say', () => {
  expect(deviations).toEqual(explainedBy(recorded));
});

it('every rule explains a case that differs', () => {
  const used = new Set(Object.values({ ...explainedBy(recorded), ...explainedBy(neighbours) }));
  expect(DEVIATION_RULES.filter(({ reason }) => !used.has(reason))).toEqual([]);
});

it('no rule applies to a case that agrees', () => {
  const all = [recorded, neighbours].flatMap((result) => Object.values(result.suites));
  expect(Object.assign({}, ...all.map(({ overreaching }) => overreaching))).toEqual({});
});

it('every recorded case is adapted', () => {
  const missing = Object.entries(recorded.suites).flatMap(([suite, { notAdapted }]) =>
    [...notAdapted.keys()].map((fn) => `${suite}: ${fn}`),
  );
  expect(missing).toEqual([]);
});

it('the adapter names only suites and functions that were recorded', () => {
  const functionsOf = new Map(suites.map(({ suite, cases }) => [suite, new Set(cases.map(({ fn }) => fn))]));
  const unknown = Object.entries(ADAPTER).flatMap(([suite, functions]) =>
    Object.keys(functions).filter((fn) => !functionsOf.get(suite)?.has(fn)),
  );
  expect(unknown).toEqual([]);
});

it('every deviation belongs to a recorded case and has a reason', () => {
  const ids = new Set(suites.flatMap(({ cases }) => cases.map(({ id }) => id)));
  expect(Object.keys(deviations).filter((id) => !ids.has(id))).toEqual([]);
  expect(Object.entries(deviations).filter(([, reason]) => !/^[A-Z].{15,}\.$/.test(reason))).toEqual([]);
});
