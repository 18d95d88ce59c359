// The command `npm run compat`: installs published plugins and hook packs from the npm registry, each into a home of its
// own and without running their scripts, starts a gateway on them, and compares what they do with what is expected. Not
// part of the tests, because it needs the registry. Exits 0 when every cell holds, 1 when one does not.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { type Cell, cell, type PackageCheck } from './package-check.ts';
import { PACKAGES } from './packages.ts';

const CHECK = fileURLToPath(new URL('./check-package.ts', import.meta.url));
const JITI = fileURLToPath(new URL('../node_modules/jiti/lib/jiti-cli.mjs', import.meta.url));
const TIME_LIMIT_MS = 420_000;

interface Checked {
  readonly published: PackageCheck;
  readonly cells: readonly Cell[];
  readonly warnings: readonly string[];
}

async function check(published: PackageCheck): Promise<Checked> {
  const home = await mkdtemp(join(tmpdir(), 'atrium-compat-'));
  const resultPath = join(home, 'result.json');
  try {
    // Whatever a package would tell its maker at home, it tells nobody here.
    const env = { ...process.env, HOME: home, MEM0_TELEMETRY: 'false', DO_NOT_TRACK: '1' };
    await promisify(execFile)(process.execPath, [JITI, CHECK, published.spec, home, resultPath], {
      env,
      timeout: TIME_LIMIT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: 64 * 1024 * 1024,
    });
    return { published, ...(JSON.parse(await readFile(resultPath, 'utf8')) as Omit<Checked, 'published'>) };
  } catch (error) {
    return { published, cells: [cell('the check ends', false, (error as Error).message)], warnings: [] };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function format({ published, cells, warnings }: Checked, isVerbose: boolean): string {
  const held = cells.filter(({ ok }) => ok).length;
  const lines = cells
    .filter(({ ok }) => isVerbose || !ok)
    .map(({ ok, expected, seen }) => `    ${ok ? 'ok  ' : 'FAIL'} ${expected}: ${seen}`);
  const heading = `${held === cells.length ? 'ok  ' : 'FAIL'} ${published.spec} (${held} of ${cells.length}) ${published.exercises}`;
  const told = isVerbose ? warnings.map((warning) => `    warned: ${warning.slice(0, 300)}`) : [];
  return [heading, ...lines, ...told].join('\n');
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { verbose: { type: 'boolean', default: false } },
});
const wanted = PACKAGES.filter(
  ({ spec }) => positionals.length === 0 || positionals.some((word) => spec.includes(word)),
);
let failed = 0;
let total = 0;
for (const published of wanted) {
  const checked = await check(published);
  total += checked.cells.length;
  failed += checked.cells.filter(({ ok }) => !ok).length;
  process.stdout.write(`${format(checked, values.verbose)}\n`);
}
process.stdout.write(`\n${wanted.length} packages, ${total} expectations, ${total - failed} hold, ${failed} do not.\n`);
process.exitCode = failed === 0 && wanted.length > 0 ? 0 : 1;
