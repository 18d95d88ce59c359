// What `npm pack` would ship is compared with what package.json names: each file of `dist/` must be one of those, or be
// reached from one by an import or by a path that stands in the code. Uses the build that is there.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { bin, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  bin: Record<string, string>;
  exports: Record<string, string | Record<string, string>>;
};
const doors = [...Object.values(bin), ...Object.values(exports).flatMap((door) => Object.values(door))]
  .map((path) => posix.normalize(path))
  .filter((path) => path.startsWith('dist/'));

function packed(): string[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const out = execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const [{ files }] = JSON.parse(out) as [{ files: { path: string }[] }];
  return files.map(({ path }) => path);
}

/** Every file among `files` that a text of one of them names by a path relative to itself, again and again. */
function reachedFrom(begin: readonly string[], files: readonly string[]): Set<string> {
  const reached = new Set(begin);
  for (const file of reached) {
    if (!/\.(js|ts)$/.test(file)) continue;
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, path = ''] of text.matchAll(/["'`](\.{1,2}\/[^"'`\n]*)["'`]/g)) {
      const named = posix.join(posix.dirname(file), path);
      const types = file.endsWith('.d.ts') ? named.replace(/\.js$/, '.d.ts') : named;
      const inside = named.endsWith('/') ? files.filter((other) => other.startsWith(named)) : [];
      for (const other of [...inside, types]) if (files.includes(other)) reached.add(other);
    }
  }
  return reached;
}

/** Node reads the one beside each file by itself. */
const isTypeOfFolder = (path: string) => path.endsWith('/package.json');

it('the package holds what package.json names and what that leads to, and nothing else', () => {
  const shipped = packed().filter((path) => path.startsWith('dist/'));
  expect(shipped).toEqual(expect.arrayContaining(doors));
  const reached = reachedFrom(doors, shipped);
  expect(shipped.filter((path) => !reached.has(path) && !isTypeOfFolder(path))).toEqual([]);
  // The programs that the product finds by their path.
  expect(shipped.filter((path) => /plugin-worker\.js$|session-memory\/HOOK\.md$/.test(path))).toHaveLength(2);
});

/** Everything that may be in the package; a hash stands for itself. Each line is needed by at least one file. */
const EXPECTED = [
  /^(?:CHANGELOG\.md|LICENSE|README\.md|package\.json)$/,
  /^docs\/(?:decisions\/\d{4}-)?[a-z-]+\.md$/,
  /^examples\/(?:[\w-]+\/)*[\w.-]+\.(?:md|yaml|ts)$/,
  /^dist\/(?:cli\/main|public\/[a-z-]+)\.js$/,
  /^dist\/public\/[a-z-]+\.d\.ts$/,
  /^dist\/builds\/[\w-]+\/(?:[\w-]+\/)*[\w.-]+\.(?:c?js|d\.ts)$/,
  /^dist\/builds\/[\w-]+\/types\/[\w.-]+\.d\.ts$/,
  /^dist\/builds\/[\w-]+\/hooks\/bundled\/[a-z-]+\/HOOK\.md$/,
  /^dist\/builds\/[\w-]+\/cli\/help(?:-wide)?\.txt$/,
  /^dist\/builds\/[\w-]+\/console\/index\.html$/,
  /^dist\/builds\/[\w-]+\/console\/assets\/[\w-]+\.(?:css|svg|webmanifest)$/,
  /^dist\/(?:[\w-]+\/)*package\.json$/,
];

it('the package holds the files that are expected, and no other', () => {
  const files = packed();
  expect(files.filter((path) => !EXPECTED.some((each) => each.test(path)))).toEqual([]);
  expect(EXPECTED.filter((each) => !files.some((path) => each.test(path))).map(String)).toEqual([]);
  const { private: isPrivate, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    private?: boolean;
    scripts: Record<string, string>;
  };
  // A fresh clone has no `dist/`; packing makes it.
  expect({ isPrivate, prepack: scripts.prepack }).toEqual({
    isPrivate: undefined,
    prepack: expect.stringContaining('build'),
  });
});

it('the package has nothing of tests, benchmarks and sources', () => {
  const folders = packed().map((path) => (path.includes('/') ? `${path.split('/')[0]}/` : path));
  expect(new Set(folders)).toEqual(
    new Set(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist/', 'docs/', 'examples/', 'package.json']),
  );
});

it('a program that imports the package finds its types', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-types-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  symlinkSync(join(root, 'dist'), join(folder, 'dist'));
  writeFileSync(join(folder, 'package.json'), readFileSync(join(root, 'package.json')));
  writeFileSync(
    join(folder, 'program.ts'),
    `import { compose } from 'atrium/context';
    import { definePluginEntry } from 'atrium/plugin-sdk';
    import { testPlugin } from 'atrium/testkit';
    const composed: Promise<{ readonly prompt: unknown }> = compose({ workspaceDir: '.' });
    // @ts-expect-error The types are really there: this is none of the arguments.
    compose({ workspaceDir: 4711 });
    export { composed, definePluginEntry, testPlugin };
    `,
  );
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  const compiler = join(root, 'node_modules/ts7/bin/tsc');
  const answer = spawnText(process.execPath, [compiler, ...options, 'program.ts'], folder);
  expect(answer).toBe('');
});

it('the doors are as small as they look', () => {
  for (const door of doors) expect(statSync(join(root, door)).size).toBeLessThan(200);
});

function spawnText(command: string, args: readonly string[], cwd: string): string {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8' });
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  }
}
