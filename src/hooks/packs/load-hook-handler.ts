// Loads one handler function from a file. A file that throws, hangs, lies outside its directory or exports something
// else gives an error value that says so; the caller's run goes on. A file with an endless loop cannot be stopped here, which is why others than the product's
// own files are loaded in a worker.

import { pathToFileURL } from 'node:url';
import type { InternalHookHandler } from '../../protocol/bootstrap-event.ts';
import type { AtriumError } from '../../protocol/errors.ts';
import { importModule } from '../../protocol/import-module.ts';
import { within } from '../../protocol/time-limit.ts';
import type { Suspension } from '../breaker.ts';
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
  /** What the operator calls it; the default is `hook`. */
  readonly noun?: 'hook' | 'handler' | undefined;
  /** The file is the product's own, so it is imported like any other module of the product, and once. */
  readonly isBundled?: boolean | undefined;
  /** The operator wants it in the gateway's own process, where it cannot be stopped. */
  readonly isInline?: boolean | undefined;
}

export interface HookHandlerEnvironment extends ModuleEnvironment {
  /** How long the file's own top-level code may take; the default is 10 seconds. */
  readonly loadTimeoutMs?: number | undefined;
}

export type LoadedHookHandler =
  | {
      readonly ok: true;
      readonly handler: InternalHookHandler;
      /** Set while the handler must not be called, because its code had to be stopped. */
      readonly suspension?: (() => Suspension | undefined) | undefined;
      /** Whether others keep the handler's thread from it right now. */
      readonly isHeldUp?: (() => boolean) | undefined;
    }
  | { readonly ok: false; readonly error: AtriumError };

export async function loadHookHandler(
  file: HookHandlerFile,
  environment: HookHandlerEnvironment = {},
): Promise<LoadedHookHandler> {
  const { hook, path, exportName = 'default' } = file;
  const found = await findHandlerFile(file);
  if (!found.ok) return found;
  const timeoutMs = environment.loadTimeoutMs ?? 10_000;
  let exports: unknown;
  try {
    const loading = file.isBundled
      ? importModule(pathToFileURL(found.realPath).href)
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

/** Proves that the file is there and lies where it must, without running it. */
export async function findHandlerFile({
  hook,
  path,
  rootDir,
}: Pick<HookHandlerFile, 'hook' | 'path' | 'rootDir'>): Promise<
  { readonly ok: true; readonly realPath: string } | { readonly ok: false; readonly error: AtriumError }
> {
  const found = await findContainedFile(rootDir, path);
  if (found.kind === 'file') return { ok: true, realPath: found.realPath };
  if (found.kind === 'outside') return failed(new HookHandlerOutsideError({ hook, path, rootDir }));
  const reason = found.kind === 'missing' ? 'the file is not there' : found.detail;
  return failed(new HookHandlerLoadError({ hook, path, reason }));
}

function failed(error: AtriumError): { readonly ok: false; readonly error: AtriumError } {
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
