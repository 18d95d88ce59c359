// Compares ARCHITECTURE.md with what is really there, so that the map stays true: the imports with their table, and the walk
// of one message with what an editor finds.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = dirname(fileURLToPath(import.meta.url));
const source = join(root, 'src');

describe('the walk of one message', () => {
  const [fromApi = [], fromSocket = []] = readWalks();

  it.each([
    ['POST /v1/chat/completions', fromApi],
    ['the WebSocket', fromSocket],
  ])('from %s passes through at most 20 files', (_, walk) => {
    expect(walk.length).toBeGreaterThan(10);
    expect(new Set(walk.map(({ file }) => file)).size).toBe(walk.length);
    expect(walk.length).toBeLessThanOrEqual(20);
  });

  it('can be followed with "go to definition", and from a contract with "go to implementation"', () => {
    const editor = openEditor([...fromApi, ...fromSocket].map(({ file }) => file));
    for (const walk of [fromApi, fromSocket]) {
      const lost = walk.filter(({ file, symbol }, index) => {
        if (index === 0) return identifiersIn(editor, file, symbol).length === 0;
        return !walk.slice(0, index).some((earlier) => leadsTo(editor, earlier.file, symbol, file));
      });
      expect(lost).toEqual([]);
    }
  });
});

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
    const imports = filesIn(join(root, 'console')).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/^(?:import|export) [^;]*from '(\.[^']+)';$/gm)]
        .map(([statement, path = '']) => ({ statement, target: relative(source, resolve(dirname(file), path)) }))
        .filter(({ target }) => !target.startsWith('..')),
    );
    expect(imports.filter(({ statement }) => !/^import type /.test(statement))).toEqual([]);
    const folders = new Set(imports.map(({ target }) => target.split(sep)[0]));
    expect([...folders].sort()).toEqual(['agent', 'channels', 'commands', 'protocol', 'store']);
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

interface Step {
  readonly file: string;
  readonly symbol: string;
}

/** From the API and from the WebSocket. The way in the middle, and what it says about itself, stands there once. */
function readWalks(): [api: Step[], socket: Step[]] {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const section = text.slice(text.indexOf('## The walk of one message'), text.indexOf('## Code map'));
  const [, api = [], socket = [], both = [], toSocket = [], toApi = []] = section
    .split(/:\n(?=\d+\. )/)
    .map((part) =>
      [...part.matchAll(/^\d+\. `([^`]+)`, `(\w+)`/gm)].map(([, file = '', symbol = '']) => ({ file, symbol })),
    );
  return [
    [...api, ...both, ...toApi],
    [...socket, ...both, ...toSocket],
  ];
}

/** What an editor knows: the compiler's own look-ups. */
function openEditor(files: readonly string[]): ts.LanguageService {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  return ts.createLanguageService({
    // What packages declare is left out, because no step leads there and reading it takes most of the time.
    getCompilationSettings: () => ({ ...options, types: [] }),
    resolveModuleNameLiterals: (names, from) =>
      names.map(({ text }) => {
        const resolvedFileName = resolve(dirname(from), text);
        const isOurs = text.startsWith('.') && ts.sys.fileExists(resolvedFileName);
        return { resolvedModule: isOurs ? { resolvedFileName, extension: ts.Extension.Ts } : undefined };
      }),
    getScriptFileNames: () => [...new Set(files)].map((file) => join(root, file)),
    getScriptVersion: () => '1',
    getScriptSnapshot: (file) => {
      const text = ts.sys.readFile(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
  });
}

function identifiersIn(editor: ts.LanguageService, file: string, name: string): number[] {
  const source = editor.getProgram()?.getSourceFile(join(root, file));
  const found: number[] = [];
  const look = (node: ts.Node): void => {
    if ((ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) && node.text.replace('#', '') === name)
      found.push(node.getStart());
    ts.forEachChild(node, look);
  };
  if (source) look(source);
  return found;
}

/** Its definition is in the file; or `from` itself states a contract, and who fulfils it is in the file. */
function leadsTo(editor: ts.LanguageService, from: string, name: string, file: string): boolean {
  const [here, there] = [join(root, from), join(root, file)];
  return identifiersIn(editor, from, name).some((position) => {
    const definitions = editor.getDefinitionAtPosition(here, position) ?? [];
    if (definitions.some(({ fileName }) => fileName === there)) return true;
    const isStatedHere = definitions.some(({ fileName }) => fileName === here);
    const implementations = (isStatedHere && editor.getImplementationAtPosition(here, position)) || [];
    return implementations.some(({ fileName }) => fileName === there);
  });
}

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
    .flatMap((file) => {
      const text = withoutTemplates(readFileSync(file, 'utf8'));
      const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path = '']) =>
        resolve(dirname(file), path),
      );
      return targets.map((target) => ({ file: relative(root, file), from: folderOf(file), to: folderOf(target) }));
    });
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
