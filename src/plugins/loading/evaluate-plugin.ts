// Evaluates a plugin's entry file again for each load, and gives its exports. All files of the plugin's own are compiled
// here, whatever language they are in, so that they see the SDK that is handed in and nothing of an earlier load; the
// packages that it brings in its node_modules go to Node, which keeps them.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import nodeModule, { createRequire } from 'node:module';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Jiti, JitiOptions, TransformOptions, TransformResult } from 'jiti';
import { PluginSdkMissingError } from '../errors.ts';
import type { SdkModules } from '../openclaw-sdk/sdk-modules.ts';
import type { PluginSetup } from '../plugin-setup.ts';
import { CompiledFiles } from './compiled-files.ts';
import { findSdkImports } from './find-sdk-imports.ts';

export interface EvaluatedPlugin {
  readonly exports: unknown;
  /** Its code names the function that subscribes to agent events. */
  readonly listensToAgent: boolean;
}

export async function evaluatePlugin(
  { entryPath, rootDir, stateDir }: Pick<PluginSetup, 'entryPath' | 'rootDir' | 'stateDir'>,
  modules: SdkModules,
): Promise<EvaluatedPlugin> {
  const source = await readFile(entryPath, 'utf8');
  if (source.includes('typebox')) await modules.prepareTypebox();
  const compiled = new CompiledFiles(join(stateDir, 'cache', 'plugin-code'));
  let listensToAgent = false;
  const transform = (given: TransformOptions) => {
    const options = { ...given, source: given.source.replace(OLD_ATTRIBUTES, '$1with') };
    listensToAgent ||= options.source.includes('onAgentEvent');
    const compiledNow = () => {
      // Nothing of the plugin has run yet, so that it can be started again without an effect.
      if (options.filename === entryPath && options.source.length > LARGE) throw new CompiledElsewhere(options);
      return compile(options);
    };
    const code = isReady(options) ? options.source : compiled.get(options.source, factsOf(options), compiledNow);
    const missing = findSdkImports(code).filter(({ specifier, name }) => !modules.hasSymbol(specifier, name));
    if (missing.length > 0) {
      throw new PluginSdkMissingError({ missing: missing.map(({ specifier, name }) => `${specifier}#${name}`) });
    }
    return { code };
  };
  const jiti = createOwnJiti(entryPath, (path) => isOwnFile(rootDir, path), {
    tryNative: false,
    moduleCache: false,
    fsCache: false,
    // The plain exports, not a proxy that also answers with properties of the default export.
    interopDefault: false,
    virtualModules: modules.virtualModules,
    transform,
  });
  const evaluate = async (): Promise<unknown> =>
    jiti.evalModule(source, { filename: entryPath, async: true, forceTranspile: true });
  const exports = await evaluate().catch(async (error: unknown) => {
    if (!(error instanceof CompiledElsewhere)) throw error;
    const code = await compileInThread(error.options);
    compiled.put(error.options.source, factsOf(error.options), code);
    return evaluate();
  });
  return { exports, listensToAgent };
}

/**
 * CommonJS as TypeScript writes it, with nothing in it that needs the compiler. Some plugins are hundreds of such files,
 * and compiling them again would take many seconds.
 */
function isReady({ source, ts }: TransformOptions): boolean {
  return !ts && source.startsWith('"use strict";') && MADE_BY_TYPESCRIPT.test(source) && !LEFT_FOR_NODE.test(source);
}

const MADE_BY_TYPESCRIPT = /^Object\.defineProperty\(exports, "__esModule", \{ value: true \}\);/m;
const LEFT_FOR_NODE = /\bimport\s*[(.]|^[ \t]*(?:import|export)\b/m;

/** Node 20 still takes this keyword for `with`; the compiler does not. */
const OLD_ATTRIBUTES = /(\bfrom\s*(["'])[^"'\n]*\2\s*)assert(?=\s*\{\s*type\b)/g;

/** Compiling more than this takes so long that the worker would be taken for one that spins. */
const LARGE = 200_000;

class CompiledElsewhere extends Error {
  constructor(readonly options: TransformOptions) {
    super('compiled in a thread of its own');
  }
}

function factsOf({ ts, async, jsx }: TransformOptions): readonly unknown[] {
  return [JITI_VERSION, ts, async, jsx];
}

/** Inside the plugin's folder, and not in a package that it brought. */
function isOwnFile(rootDir: string, path: string): boolean {
  const inside = relative(rootDir, path);
  return !inside.startsWith('..') && !isAbsolute(inside) && !inside.split(sep).includes('node_modules');
}

type CreateJiti = (
  id: string,
  options: JitiOptions,
  native: {
    readonly onError: (error: unknown) => never;
    readonly nativeImport: (id: string) => Promise<unknown>;
    readonly createRequire: (id: string) => NodeJS.Require;
  },
) => Jiti;

/**
 * Jiti hands what looks like JavaScript to Node first and compiles it only when that fails. Node would keep the files of
 * a plugin for ever, and find another SDK or none, so here Node refuses them. The package has no option for this; its
 * version is pinned, and the tests load every kind of file.
 */
function createOwnJiti(entryPath: string, isOwn: (path: string) => boolean, options: JitiOptions): Jiti {
  const create = packageFile<CreateJiti>('jiti.cjs');
  const ownModule = moduleWithSdk(options.virtualModules ?? {});
  const refuse = (id: string) => {
    const path = id.startsWith('file:') ? fileURLToPath(id) : id;
    if (CODE.test(path) && isAbsolute(path) && isOwn(path)) throw new Error('compiled by Atrium');
  };
  return create(entryPath, options, {
    onError: (error) => {
      throw error;
    },
    nativeImport: async (id) => {
      refuse(id);
      return MODULE.test(id) ? ownModule : import(id);
    },
    createRequire: (id) => {
      const native = createRequire(id);
      const guarded = (path: string): unknown => {
        refuse(path);
        if (MODULE.test(path)) return ownModule;
        if (path.endsWith('.json') && isOwn(path)) return JSON.parse(readFileSync(path, 'utf8'));
        return native(path);
      };
      return Object.assign(guarded, native);
    },
  });
}

const CODE = /\.[cm]?[jt]sx?$/;

/** Bundlers write `createRequire(import.meta.url)` into what they make, and the SDK is required with that as well. */
function moduleWithSdk(virtualModules: Record<string, unknown>): object {
  const createOwn = (from: string | URL): NodeJS.Require => {
    const native = createRequire(from);
    const own = (id: string): unknown => (id in virtualModules ? virtualModules[id] : native(id));
    return Object.assign(own, native);
  };
  const whole: object = Object.assign(Object.create(nodeModule), nodeModule, { createRequire: createOwn });
  return Object.assign(whole, { default: whole });
}

const MODULE = /^(?:node:)?module$/;

/** Compiling is the most of what loading costs, so its machinery is loaded with the first file. */
function compile(options: TransformOptions): string {
  return codeOf(packageFile<(options: TransformOptions) => TransformResult>('babel.cjs')(options), options);
}

/** Compiles in a thread, because bundles are megabytes long and other plugins are called meanwhile. */
async function compileInThread(options: TransformOptions): Promise<string> {
  const thread = new Worker(COMPILER, {
    eval: true,
    execArgv: [],
    workerData: { compiler: packageFilePath('babel.cjs'), options },
  });
  try {
    const [result] = (await once(thread, 'message')) as [TransformResult];
    return codeOf(result, options);
  } finally {
    void thread.terminate();
  }
}

const COMPILER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { code, error } = require(workerData.compiler)(workerData.options);
  parentPort.postMessage({ code, error: error && { message: String(error.message), loc: error.loc && { line: error.loc.line } } });
`;

function codeOf({ code, error }: TransformResult, { filename }: TransformOptions): string {
  if (error) throw asSyntaxError(error, filename);
  return code;
}

/** The compiler knows the line and not the file. */
function asSyntaxError(error: { message?: unknown; loc?: { line?: number } }, filename = ''): SyntaxError {
  const message =
    String(error.message)
      .replace(/^[^:]*: /, '')
      .split('\n')[0] ?? '';
  const named = new SyntaxError(message.replace(/ \(\d+:\d+\)$/, ''));
  named.stack = `${named.message}\n    at ${filename}:${error.loc?.line ?? 1}:1`;
  return named;
}

/** Pinned in package.json, because another version compiles a file to another text. */
const JITI_VERSION = '2.7.0';

function packageFile<Exports>(name: string): Exports {
  return createRequire(import.meta.url)(packageFilePath(name)) as Exports;
}

function packageFilePath(name: string): string {
  return join(dirname(createRequire(import.meta.url).resolve('jiti/package.json')), 'dist', name);
}
