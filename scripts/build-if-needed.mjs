// Builds when `dist` is missing or older than what it is made from, so that starting again costs nothing. A folder counts
// too: its time changes when a file in it is added or removed.

import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const MADE_FROM = ['src', 'package.json', 'tsconfig.json', 'tsdown.config.ts'];
const MADE = ['dist/cli/main.js', 'dist/public/context.js'];

function newest(path) {
  const { mtimeMs } = statSync(path);
  const entries = readdirSync(path, { withFileTypes: true });
  const inside = entries.filter((entry) => entry.isDirectory() || isSource(entry.name));
  return Math.max(mtimeMs, ...inside.map((entry) => timeOf(join(path, entry.name))));
}

function isSource(name) {
  return name.endsWith('.ts') && !name.endsWith('.test.ts');
}

function timeOf(path) {
  return statSync(path).isDirectory() ? newest(path) : statSync(path).mtimeMs;
}

function isBuilt() {
  try {
    const made = Math.min(...MADE.map((path) => statSync(join(root, path)).mtimeMs));
    return made >= Math.max(...MADE_FROM.map((path) => timeOf(join(root, path))));
  } catch {
    return false;
  }
}

if (!isBuilt()) {
  console.log('Building, which is done once ...');
  // Type declarations are most of the work, and running needs none.
  const builder = join(root, 'node_modules', 'tsdown', 'dist', 'run.mjs');
  const built = spawnSync(process.execPath, [builder, '--logLevel', 'warn', '--no-dts'], {
    cwd: root,
    encoding: 'utf8',
  });
  // What a build that worked has to say is for those who work on it; they have `npm run build`.
  if (built.status !== 0) console.error(`${built.stdout}${built.stderr}`);
  process.exitCode = built.status ?? 1;
}
