// Compares the table of imports in ARCHITECTURE.md with the imports that are really there, so that the map stays true.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = dirname(fileURLToPath(import.meta.url));
const source = join(root, 'src');

describe('the architecture', () => {
  const allowed = readTable();
  const imports = readImports();

  it('has a row in ARCHITECTURE.md for every folder of src', () => {
    const folders = readdirSync(source).filter((name) => statSync(join(source, name)).isDirectory());
    expect([...allowed.keys()].sort()).toEqual(folders.sort());
  });

  it('imports only what its table allows', () => {
    const broken = imports
      .filter(({ from, to }) => from !== to && to !== 'protocol' && !allowed.get(from)?.includes(to))
      .map(({ file, from, to }) => `${file}: ${from} may not import ${to}`);
    expect(broken).toEqual([]);
  });

  it('has no circle: no folder imports itself, not even by way of others', () => {
    const reached = (folder: string, seen = new Set<string>()): Set<string> => {
      for (const next of allowed.get(folder) ?? []) if (!seen.has(next)) reached(next, seen.add(next));
      return seen;
    };
    expect([...allowed.keys()].filter((folder) => reached(folder).has(folder))).toEqual([]);
  });

  it('allows nothing that nobody uses', () => {
    const used = new Set(imports.map(({ from, to }) => `${from} -> ${to}`));
    const unused = [...allowed].flatMap(([from, tos]) =>
      tos.filter((to) => !used.has(`${from} -> ${to}`)).map((to) => `${from} -> ${to}`),
    );
    expect(unused).toEqual([]);
  });

  it('gives the console types and no code', () => {
    // A test may compare what the page draws with what the product does.
    const files = filesIn(join(root, 'console')).filter((file) => !isTest(file));
    const imports = files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^(?:import|export) [^;]*from '(\.[^']+)';$/gm)]
        .map(([statement, path = '']) => ({ statement, target: relative(source, resolve(dirname(file), path)) }))
        .filter(({ target }) => !target.startsWith('..')),
    );
    expect(imports.filter(({ statement }) => !/^(?:import|export) type /.test(statement))).toEqual([]);
    const folders = new Set(imports.map(({ target }) => target.split(sep)[0]));
    expect([...folders].sort()).toEqual([
      'agent',
      'channels',
      'commands',
      'gateway',
      'plugins',
      'protocol',
      'schedule',
      'store',
    ]);
  });

  it('lets an extension import the Channel contract, and its own files', () => {
    const extensions = join(root, 'extensions');
    const faults = filesIn(extensions)
      .filter((file) => !isTest(file))
      .flatMap((file) => importsOf(file).map((target) => ({ file, target })))
      .filter(({ file, target }) => {
        const [own, other] = [file, target].map((path) => relative(extensions, path).split(sep)[0]);
        return own !== other && !['channels', 'protocol'].includes(folderOf(target));
      });
    expect(faults.map(({ file, target }) => `${relative(root, file)}: ${relative(root, target)}`)).toEqual([]);
  });

  it('loads extensions in one place, and only when they are needed', () => {
    const importers = sourceFiles().filter((file) => /'[./]*\/extensions\//.test(readFileSync(file, 'utf8')));
    const loader = 'src/gateway/channels/channel-extensions.ts';
    const others = importers.map((file) => relative(root, file)).filter((file) => !isTest(file) && file !== loader);
    expect(others).toEqual([]);
    expect(readFileSync(join(root, loader), 'utf8')).not.toMatch(/^import (?!type )[^;]*extensions\//m);
  });

  it('reads the environment in config only', () => {
    const readers = sourceFiles()
      .filter((file) => !isTest(file) && !file.startsWith(join(source, 'config')))
      .filter((file) => /process\.env|os\.homedir|homedir\(\)/.test(readFileSync(file, 'utf8')))
      .map((file) => relative(root, file));
    expect(readers).toEqual([]);
  });

  it('has no default exports and no barrels', () => {
    const faults = sourceFiles()
      .filter((file) => !isTest(file) && !file.includes(`${sep}seed-examples${sep}`))
      .filter(
        (file) => /^export default/m.test(withoutTemplates(readFileSync(file, 'utf8'))) || /[\\/]index\.ts$/.test(file),
      )
      .map((file) => relative(root, file));
    expect(faults).toEqual([]);
  });
});

function readTable(): Map<string, string[]> {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const table = text.slice(text.indexOf('## Allowed imports'), text.indexOf('## Across the whole'));
  const rows = [...table.matchAll(/^\| (\w+) \|([^|]*)\|$/gm)].filter(([, folder]) => folder !== 'folder');
  return new Map(
    rows.map(([, folder = '', list = '']) => [
      folder,
      list
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean),
    ]),
  );
}

function readImports(): { file: string; from: string; to: string }[] {
  return sourceFiles()
    .filter((file) => !isTest(file))
    .flatMap((file) =>
      importsOf(file)
        .filter((target) => !target.startsWith(join(root, 'extensions')))
        .map((target) => ({ file: relative(root, file), from: folderOf(file), to: folderOf(target) })),
    );
}

/** The files of ours that a file imports. */
function importsOf(file: string): string[] {
  const text = withoutTemplates(readFileSync(file, 'utf8'));
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path = '']) =>
    resolve(dirname(file), path),
  );
}

/** Code that is written into files for others is not an import of ours. */
function withoutTemplates(text: string): string {
  return text.replace(/`(?:[^`\\]|\\.)*`/g, '``');
}

function folderOf(path: string): string {
  return relative(source, path).split(sep)[0] ?? '';
}

function isTest(file: string): boolean {
  return /\.(test|suite)\.ts$/.test(file);
}

function sourceFiles(): string[] {
  return filesIn(source);
}

function filesIn(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    if (name === 'fixtures') return [];
    return statSync(path).isDirectory() ? filesIn(path) : /\.tsx?$/.test(path) ? [path] : [];
  });
}
