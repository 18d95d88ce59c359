// Evaluates a plugin's entry file, afresh each time, and gives its exports. All files of the plugin's own are compiled
// here, whatever language they are in, so that they see the SDK that is handed in and nothing of an earlier load; the
// packages that it brings in its node_modules go to Node, which keeps them.

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Jiti, JitiOptions, TransformOptions, TransformResult } from 'jiti';
import { PluginSdkMissingError } from '../protocol/errors.ts';
import { CompiledFiles } from './compiled-files.ts';
import { findSdkImports } from './find-sdk-imports.ts';
import type { PluginSeat } from './plugin-seat.ts';
import type { SdkModules } from './sdk/sdk-modules.ts';

export interface EvaluatedPlugin {
  readonly exports: unknown;
  /** Its code names the function that subscribes to agent events. */
  readonly listensToAgent: boolean;
}

export async function evaluatePlugin(
  { entryPath, rootDir, stateDir }: Pick<PluginSeat, 'entryPath' | 'rootDir' | 'stateDir'>,
  modules: SdkModules,
): Promise<EvaluatedPlugin> {
  const source = await readFile(entryPath, 'utf8');
  if (source.includes('typebox')) await modules.prepareTypebox();
  const compiled = new CompiledFiles(join(stateDir, 'cache', 'plugin-code'));
  let listensToAgent = false;
  const transform = (options: TransformOptions) => {
    listensToAgent ||= options.source.includes('onAgentEvent');
    const code = compiled.get(options.source, [JITI_VERSION, options.ts, options.async, options.jsx], () =>
      compile(options),
    );
    const missing = findSdkImports(code).filter(({ specifier, name }) => !modules.hasSymbol(specifier, name));
    if (missing.length > 0) {
      throw new PluginSdkMissingError(missing.map(({ specifier, name }) => `${specifier}#${name}`));
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
  const exports: unknown = await jiti.evalModule(source, { filename: entryPath, async: true, forceTranspile: true });
  return { exports, listensToAgent };
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
      return import(id);
    },
    createRequire: (id) => {
      const native = createRequire(id);
      const guarded = (path: string): unknown => {
        refuse(path);
        if (path.endsWith('.json') && isOwn(path)) return JSON.parse(readFileSync(path, 'utf8'));
        return native(path);
      };
      return Object.assign(guarded, native);
    },
  });
}

const CODE = /\.[cm]?[jt]sx?$/;

/** Compiling is the most of what loading costs, so its machinery is loaded with the first file. */
function compile(options: TransformOptions): string {
  const { code, error } = packageFile<(options: TransformOptions) => TransformResult>('babel.cjs')(options);
  if (error) throw asSyntaxError(error, options.filename);
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

/** Pinned in package.json; what another one makes of a file is another text. */
const JITI_VERSION = '2.7.0';

function packageFile<Exports>(name: string): Exports {
  const require = createRequire(import.meta.url);
  return require(join(dirname(require.resolve('jiti/package.json')), 'dist', name)) as Exports;
}
