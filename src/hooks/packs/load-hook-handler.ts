// Loads one handler function from a file. A file that throws, hangs, lies outside its directory or exports something
// else gives an error value that says so; the caller's run goes on. A file with an endless loop cannot be stopped here.

import { pathToFileURL } from 'node:url';
import type { InternalHookHandler } from '../../protocol/bootstrap-event.ts';
import type { AtriumError } from '../../protocol/errors.ts';
import { within } from '../../protocol/time-limit.ts';
import {
  HookHandlerExportError,
  HookHandlerLoadError,
  HookHandlerLoadTimeoutError,
  HookHandlerOutsideError,
} from '../errors.ts';
import { findContainedFile } from './contained-file.ts';
import { evaluateModule, type ModuleEnvironment } from './evaluate-module.ts';

export interface HookHandlerFile {
  /** The name that an error shows. */
  readonly hook: string;
  readonly path: string;
  /** The directory in which the file must lie after links are followed. */
  readonly rootDir: string;
  /** The default is `default`. */
  readonly exportName?: string | undefined;
  /** The file is the product's own, so it is imported like any other module of the product, and once. */
  readonly isBundled?: boolean | undefined;
}

export interface HookHandlerEnvironment extends ModuleEnvironment {
  /** How long the file's own top-level code may take; the default is 10 seconds. */
  readonly loadTimeoutMs?: number | undefined;
}

export type LoadedHookHandler =
  | { readonly ok: true; readonly handler: InternalHookHandler }
  | { readonly ok: false; readonly error: AtriumError };

export async function loadHookHandler(
  file: HookHandlerFile,
  environment: HookHandlerEnvironment = {},
): Promise<LoadedHookHandler> {
  const { hook, path, rootDir, exportName = 'default' } = file;
  const found = await findContainedFile(rootDir, path);
  if (found.kind === 'outside') return failed(new HookHandlerOutsideError({ hook, path, rootDir }));
  if (found.kind === 'missing')
    return failed(new HookHandlerLoadError({ hook, path, reason: 'the file is not there' }));
  if (found.kind === 'unreadable') return failed(new HookHandlerLoadError({ hook, path, reason: found.detail }));
  const timeoutMs = environment.loadTimeoutMs ?? 10_000;
  let exports: unknown;
  try {
    const loading = file.isBundled
      ? import(pathToFileURL(found.realPath).href)
      : evaluateModule(found.realPath, environment);
    if (!(await within(timeoutMs, loading))) {
      return failed(new HookHandlerLoadTimeoutError({ hook, path, afterMs: timeoutMs }));
    }
    exports = await loading;
  } catch (error) {
    return failed(new HookHandlerLoadError({ hook, path, reason: describe(error) }, { cause: error }));
  }
  const handler = findExport(exports, exportName);
  if (typeof handler === 'function') return { ok: true, handler: handler as InternalHookHandler };
  return failed(new HookHandlerExportError({ hook, path, exportName, functions: listFunctions(exports) }));
}

function failed(error: AtriumError): LoadedHookHandler {
  return { ok: false, error };
}

/** Older files write `module.exports = handler` for their default export. */
function findExport(exports: unknown, name: string): unknown {
  const isObject = typeof exports === 'object' && exports !== null;
  if ((isObject || typeof exports === 'function') && Object.hasOwn(exports as object, name)) {
    return (exports as Record<string, unknown>)[name];
  }
  return name === 'default' ? exports : undefined;
}

function listFunctions(exports: unknown): string[] {
  if (typeof exports !== 'object' || exports === null) return [];
  return Object.keys(exports).filter((name) => typeof findExport(exports, name) === 'function');
}

/** One line of bounded length: the text comes from code that is not ours and is shown in reports and terminals. */
function describe(error: unknown): string {
  let text: string;
  try {
    text = error instanceof Error ? error.message : `threw ${String(error)}`;
  } catch {
    text = 'threw something that cannot be shown';
  }
  return text
    .replace(/[\x00-\x1f\x7f]+/g, ' ')
    .trim()
    .slice(0, 500);
}
