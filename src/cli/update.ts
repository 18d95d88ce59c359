// `atrium update`: how this copy of Atrium is updated and, only with `--check`, whether the registry has a newer version. This
// is the one place that asks a registry about Atrium itself, and it does so when a person says it. npm asks, so that
// the registry, the proxy and the keys are those that npm is set up with.

import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNpm } from '../plugins/install/run-npm.ts';
import { VERSION } from '../protocol/version.ts';
import { command } from './command.ts';
import { NoVersionError } from './errors.ts';
import { line } from './output/text.ts';
import { productFolder } from './product-folder.ts';

const PACKAGE = 'atrium';

export const update = command({
  path: 'update',
  summary: 'say how to update; with --check, ask the npm registry whether there is a newer version',
  options: { '--check': 'ask the registry that npm uses; nothing else ever asks' },
  examples: ['update', 'update --check'],
  notes: 'It changes nothing. Exit code with --check: 0 when this version is the newest, 1 when there is a newer one.',
  async run({ check }, { io: { environment } }) {
    const how = howToUpdate();
    if (!check) {
      const sentences = [`This is Atrium ${VERSION}.`, how, 'Whether there is a newer version: atrium update --check'];
      return { json: { current: VERSION, latest: null, isNewer: null, how }, text: sentences.map(line).join('') };
    }
    const answer = await runNpm({
      args: ['view', PACKAGE, 'dist-tags.latest', '--json'],
      // A folder without a package.json, so that npm takes no settings from one.
      cwd: tmpdir(),
      task: 'ask the registry for the newest version',
      variables: environment.variables,
    });
    const latest = versionIn(answer);
    const isNewer = compareVersions(latest, VERSION) > 0;
    const sentences = isNewer
      ? [`Atrium ${latest} is there; this is ${VERSION}.`, how]
      : [`This is Atrium ${VERSION}, and the registry has nothing newer (${latest}).`];
    return { json: { current: VERSION, latest, isNewer, how }, text: sentences.map(line).join(''), ok: !isNewer };
  },
});

/** By how it came here: npm's folder of global packages, or a checkout, which has the sources. */
function howToUpdate(): string {
  const folder = productFolder();
  const again = 'then stop the gateway and start it again';
  if (existsSync(join(folder, '.git')) || existsSync(join(folder, 'src')))
    return `To update this checkout: git pull && npm ci && npm run build in ${folder}, ${again}.`;
  return `To update: npm install -g ${PACKAGE}@latest, ${again}.`;
}

function versionIn(answer: string): string {
  try {
    const version: unknown = JSON.parse(answer);
    if (typeof version === 'string' && /^\d+\.\d+\.\d+/.test(version)) return version;
  } catch {
    // What is no JSON is no version either.
  }
  throw new NoVersionError({ answer: answer.trim().slice(0, 80) });
}

/** Above zero when `a` is newer. A version with a suffix, such as 1.0.0-beta, is older than the one without. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => {
    const [numbers = '', suffix] = version.split('+')[0]?.split(/-(.*)/) ?? [];
    return { numbers: numbers.split('.').map(Number), suffix };
  });
  for (const at of [0, 1, 2]) {
    const difference = (left?.numbers[at] ?? 0) - (right?.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left?.suffix === right?.suffix) return 0;
  if (left?.suffix === undefined) return 1;
  if (right?.suffix === undefined) return -1;
  return left.suffix.localeCompare(right.suffix, 'en', { numeric: true });
}
