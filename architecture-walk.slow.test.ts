// Compares the walk of one message in ARCHITECTURE.md with what an editor finds. The compiler reads most of the sources
// for that, which takes seconds.

import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = dirname(fileURLToPath(import.meta.url));

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
