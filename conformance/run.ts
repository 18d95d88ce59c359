// The command `npm run conformance`: compares Atrium with the recorded behaviour of OpenClaw. Exits 0 when nothing
// failed, 1 when a case failed, 2 when there was nothing to run.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ADAPTER } from './adapter.ts';
import { explainDeviation } from './deviation-rules.ts';
import { formatResult, resultAsJson } from './format-result.ts';
import { type Deviations, runSuites } from './run-suites.ts';
import { loadVectorSuites } from './vector-suite.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { vectors: { type: 'string' }, json: { type: 'boolean', default: false } } });
  const dir = values.vectors ?? here('./vectors');
  const suites = existsSync(dir) ? await loadVectorSuites(dir) : [];
  if (suites.length === 0) throw new Error(`No vector files in ${dir}. Each is JSON with "suite" and "cases".`);

  const deviations = JSON.parse(await readFile(here('./deviations.json'), 'utf8')) as Deviations;
  const result = await runSuites(suites, ADAPTER, deviations, explainDeviation);
  process.stdout.write(values.json ? `${JSON.stringify(resultAsJson(result), null, 2)}\n` : formatResult(result));
  return result.totals.failed === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
