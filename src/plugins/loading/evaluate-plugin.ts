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
import { importModule } from '../../protocol/import-module.ts';
import { PluginSdkMissingError } from '../errors.ts';
import type { SdkModules } from '../openclaw-sdk/sdk-modules.ts';
import type { PluginSetup } from '../plugin-setup.ts';
import { BroughtPackages } from './brought-packages.ts';
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
  const packages = new BroughtPackages();
  const isOwn = (path: string) => isOwnFile(rootDir, path);
  const large = new Map<string, TransformOptions>();
  let listensToAgent = false;

  const transform = (given: TransformOptions) => {
    const options = { ...given, source: given.source.replace(OLD_ATTRIBUTES, '$1with') };
    const { filename = '' } = options;
    if (!isOwn(filename) && !options.ts && packages.isForNode(filename)) return { code: handOver('byNode', options) };
    listensToAgent ||= options.source.includes('onAgentEvent');
    let code = isReady(options) ? options.source : compiled.find(options.source, factsOf(options));
    if (code === undefined && options.async && options.source.length > LARGE) {
      large.set(filename, options);
      return { code: handOver('afterCompiling', options) };
    }
    code ??= compiled.put(options.source, factsOf(options), compile(options));
    const missing = findSdkImports(code).filter(({ specifier, name }) => !modules.hasSymbol(specifier, name));
    if (missing.length > 0) {
      throw new PluginSdkMissingError({ missing: missing.map(({ specifier, name }) => `${specifier}#${name}`) });
    }
    return { code: code.includes('__esModule') ? code : code + DEFAULT_OF_COMMON };
  };

  const handedOver = {
    byNode: (path: string, isAsync: boolean): unknown => {
      if (isAsync) return packages.import(path).catch(() => compileAndRun(path, true));
      try {
        return packages.require(path, createRequire(path));
      } catch {
        return compileAndRun(path, false);
      }
    },
    afterCompiling: async (path: string): Promise<unknown> => {
      const options = large.get(path);
      if (options) compiled.put(options.source, factsOf(options), await compileInThread(options));
      return compileAndRun(path, true);
    },
  };
  const jiti = createOwnJiti(entryPath, isOwn, packages, {
    tryNative: false,
    moduleCache: false,
    fsCache: false,
    // The plain exports, not a proxy that also answers with properties of the default export.
    interopDefault: false,
    virtualModules: new Proxy(modules.virtualModules, {
      has: (target, name) => name === HANDED_OVER || name in target,
      get: (target, name) => (name === HANDED_OVER ? handedOver : Reflect.get(target, name)),
    }),
    transform,
  });
  /** All files of one load share it, so that each of them runs once. */
  const cache = Object.create(null) as NodeJS.Require['cache'];
  const compileAndRun = (path: string, isAsync: boolean): unknown =>
    jiti.evalModule(readFileSync(path, 'utf8'), {
      filename: path,
      async: isAsync,
      forceTranspile: true,
      cache: cache as Jiti['cache'],
    });
  return { exports: await compileAndRun(entryPath, true), listensToAgent };
}

/** The name under which compiled code finds what this file hands it. It is no package that a plugin could bring. */
const HANDED_OVER = 'atrium:handed-over';

/**
 * Runs in place of a file's own code, and takes over what the file exports when it is loaded another way. Until then its
 * exports are a promise, for which other imports of the same file wait.
 */
function handOver(way: 'byNode' | 'afterCompiling', { filename, async: isAsync }: TransformOptions): string {
  const load = `require("${HANDED_OVER}").${way}(${JSON.stringify(filename)}, ${isAsync === true})`;
  return isAsync ? `module.exports = await (module.exports = ${load});` : `module.exports = ${load};`;
}

/** As in Node, the default import of a CommonJS file is everything that it exports. */
const DEFAULT_OF_COMMON = `
;((all) => {
  if (all !== null && /^(?:object|function)$/.test(typeof all) && Object.isExtensible(all) && !("default" in all)) {
    Object.defineProperty(all, "default", { value: all, configurable: true, writable: true });
  }
})(module.exports);`;

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

/** Compiling more than this takes so long that the worker would be taken for one that spins, so a thread does it. */
const LARGE = 200_000;

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
function createOwnJiti(
  entryPath: string,
  isOwn: (path: string) => boolean,
  packages: BroughtPackages,
  options: JitiOptions,
): Jiti {
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
      if (MODULE.test(id)) return ownModule;
      return isAbsolute(id) ? packages.import(id) : importModule(id);
    },
    createRequire: (id) => {
      const native = createRequire(id);
      const guarded = (path: string): unknown => {
        refuse(path);
        if (MODULE.test(path)) return ownModule;
        if (path.endsWith('.json') && isOwn(path)) return JSON.parse(readFileSync(path, 'utf8'));
        return isAbsolute(path) ? packages.require(path, native) : native(path);
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
