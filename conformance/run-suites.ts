// Runs recorded cases against the adapter and counts: passed, deviating (it differs, and a rule or `deviations.json` says
// why) or failed. A case that is listed as deviating but passes is a failure too, or the list would grow stale.

import type { Adapter, CaseAdapter } from './adapter.ts';
import { decodeStandIns, matches } from './compare.ts';
import type { VectorCase, VectorSuite } from './vector-suite.ts';

/** Case id -> why we differ on purpose. Ids that no loaded suite has are ignored. */
export type Deviations = Readonly<Record<string, string>>;

export interface Counts {
  readonly passed: number;
  readonly deviating: number;
  readonly failed: number;
}

export interface CaseFailure {
  readonly id: string;
  readonly fn: string;
  readonly note?: string;
  readonly reason: 'different' | 'error' | 'deviation-passes';
  readonly expected: unknown;
  /** The output, or the error's message. */
  readonly got: unknown;
}

export interface SuiteResult extends Counts {
  readonly failures: readonly CaseFailure[];
  readonly deviatingIds: readonly string[];
  /** The reasons of those that a rule explains, by the id of the case. */
  readonly explained: Readonly<Record<string, string>>;
  /** The reasons of rules that apply to a case which agrees, by its id. Such a rule is too wide. */
  readonly overreaching: Readonly<Record<string, string>>;
  /** Function name -> number of cases that nothing here answers for. */
  readonly notAdapted: ReadonlyMap<string, number>;
}

export interface ConformanceResult {
  readonly totals: Counts;
  readonly suites: Readonly<Record<string, SuiteResult>>;
}

/** Gives the rule that explains why a case differs. */
export type ExplainDeviation = (suite: string, vectorCase: VectorCase) => { readonly reason: string } | undefined;

export async function runSuites(
  suites: readonly VectorSuite[],
  adapter: Adapter,
  deviations: Deviations,
  explain: ExplainDeviation = () => undefined,
): Promise<ConformanceResult> {
  const results: Record<string, SuiteResult> = {};
  for (const suite of suites) results[suite.suite] = await runSuite(suite, adapter, deviations, explain);
  const all = Object.values(results);
  const totals = {
    passed: sum(all.map((result) => result.passed)),
    deviating: sum(all.map((result) => result.deviating)),
    failed: sum(all.map((result) => result.failed)),
  };
  return { totals, suites: results };
}

async function runSuite(
  { suite, cases }: VectorSuite,
  adapter: Adapter,
  deviations: Deviations,
  explain: ExplainDeviation,
): Promise<SuiteResult> {
  const explained: Record<string, string> = {};
  const overreaching: Record<string, string> = {};
  const failures: CaseFailure[] = [];
  const deviatingIds: string[] = [];
  const notAdapted = new Map<string, number>();
  let passed = 0;
  for (const vectorCase of cases) {
    const answer = ownValue(ownValue(adapter, suite), vectorCase.fn);
    if (answer === undefined) {
      notAdapted.set(vectorCase.fn, (notAdapted.get(vectorCase.fn) ?? 0) + 1);
      continue;
    }
    const failure = await runCase(vectorCase, answer);
    const isListed = Object.hasOwn(deviations, vectorCase.id);
    const rule = explain(suite, vectorCase);
    if (failure === undefined) {
      if (rule) overreaching[vectorCase.id] = rule.reason;
      if (isListed) failures.push(staleDeviation(vectorCase));
      else passed += 1;
      continue;
    }
    if (rule) explained[vectorCase.id] = rule.reason;
    if (rule || isListed) deviatingIds.push(vectorCase.id);
    else failures.push(failure);
  }
  const deviating = deviatingIds.length;
  return { passed, deviating, failed: failures.length, failures, deviatingIds, explained, overreaching, notAdapted };
}

/** No case may take longer, so that one that hangs is named instead of stopping the run. */
const CASE_DEADLINE_MS = 30_000;

async function runCase(vectorCase: VectorCase, answer: CaseAdapter): Promise<CaseFailure | undefined> {
  const { id, fn, note, output, unordered = false } = vectorCase;
  const known = { id, fn, ...(note === undefined ? {} : { note }), expected: output };
  try {
    const got = await withinDeadline(async () => answer(decodeStandIns(structuredClone(vectorCase.input))));
    return matches(output, got, { unordered }) ? undefined : { ...known, reason: 'different', got };
  } catch (error) {
    return { ...known, reason: 'error', got: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

async function withinDeadline<T>(run: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${CASE_DEADLINE_MS} ms`)), CASE_DEADLINE_MS);
  });
  try {
    return await Promise.race([run(), deadline]);
  } finally {
    clearTimeout(timer);
  }
}

function staleDeviation({ id, fn, note, output }: VectorCase): CaseFailure {
  return { id, fn, ...(note === undefined ? {} : { note }), reason: 'deviation-passes', expected: output, got: output };
}

function ownValue<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
