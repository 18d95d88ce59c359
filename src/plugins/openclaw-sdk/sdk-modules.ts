// What a plugin gets when it imports the SDK, under whichever of its names. There is one set of symbols; every module of
// the SDK is a view of it, so that plugins written for other divisions of it find what they look for. A module that no
// plugin imports is not loaded.
//
// Errors: importing a module that does not exist throws PluginSdkMissingError. A symbol that does not exist is undefined,
// as it would be on any module object, and `missed` is told; static imports are checked beforehand with `hasSymbol`.

import { createRequire } from 'node:module';
import { PluginSdkMissingError } from '../errors.ts';
import { SDK_SUBPATHS } from './sdk-subpaths.ts';

export interface SdkModules {
  /** What jiti asks: an object that answers `in` and a look-up by specifier. */
  readonly virtualModules: Record<string, unknown>;
  hasSymbol(specifier: string, name: string): boolean;
  /** Loads typebox, where the plugin needs the host's. Modules that are required cannot wait for it. */
  prepareTypebox(): Promise<void>;
}

export interface SdkModuleParts {
  readonly entryPath: string;
  readonly symbols: Readonly<Record<string, unknown>>;
  readonly imported: (specifier: string) => void;
  readonly missed: (specifier: string, name: string) => void;
}

export function createSdkModules({ entryPath, symbols, imported, missed }: SdkModuleParts): SdkModules {
  const views = new Map<string, unknown>();
  let typebox: Record<string, unknown> | undefined;
  const bringsOwn = ownPackages(entryPath);

  const zod = () => createRequire(import.meta.url)('zod') as Record<string, unknown>;
  const contentOf = (subpath: string) => (subpath === 'zod' ? { ...symbols, ...zod() } : symbols);
  const viewOf = (specifier: string, subpath: string): unknown => {
    if (subpath !== '' && !SDK_SUBPATHS.has(subpath)) throw new PluginSdkMissingError({ missing: [specifier] });
    imported(specifier);
    const known = views.get(subpath);
    if (known) return known;
    const view = moduleView(contentOf(subpath), (name) => missed(specifier, name));
    views.set(subpath, view);
    return view;
  };
  const loadTypebox = async () => {
    typebox ??= await loadedTypebox();
    return typebox;
  };

  return {
    virtualModules: new Proxy<Record<string, unknown>>(
      {},
      {
        has: (_, specifier) =>
          typeof specifier === 'string' &&
          (subpathOf(specifier) !== undefined || (TYPEBOX.test(specifier) && !bringsOwn(specifier))),
        get: (_, specifier) => {
          if (typeof specifier !== 'string') return undefined;
          const subpath = subpathOf(specifier);
          if (subpath !== undefined) return viewOf(specifier, subpath);
          if (!TYPEBOX.test(specifier)) return undefined;
          // An import can wait for it; for `require` it was prepared.
          return typebox ?? loadTypebox();
        },
      },
    ),
    hasSymbol: (specifier, name) => {
      const subpath = subpathOf(specifier);
      // Whether there is such a module is noticed when it is imported.
      if (subpath === undefined || (subpath !== '' && !SDK_SUBPATHS.has(subpath))) return true;
      return ALWAYS_THERE.has(name) || Object.hasOwn(contentOf(subpath), name);
    },
    prepareTypebox: async () => {
      if (['typebox', '@sinclair/typebox'].some((name) => !bringsOwn(name))) await loadTypebox();
    },
  };
}

const TYPEBOX = /^(?:@sinclair\/)?typebox(?:\/value)?$/;
const ALWAYS_THERE: ReadonlySet<string> = new Set(['default', '__esModule']);

/** The part behind `plugin-sdk/`, an empty text for the whole, and nothing for what is not the SDK. */
function subpathOf(specifier: string): string | undefined {
  const [, subpath] = /^(?:openclaw|clawdbot|moltbot|atrium)\/plugin-sdk(?:\/(.*))?$/.exec(specifier) ?? [];
  if (subpath !== undefined) return subpath.replace(/\.js$/, '');
  return /^(?:openclaw|clawdbot|moltbot|atrium)\/plugin-sdk$/.test(specifier) ? '' : undefined;
}

function moduleView(content: Readonly<Record<string, unknown>>, missed: (name: string) => void): object {
  const view: object = new Proxy(content, {
    get: (target, name) => {
      if (name === '__esModule') return true;
      if (name === 'default') return view;
      if (typeof name !== 'string' || Object.hasOwn(target, name)) return Reflect.get(target, name);
      // `await` on a module reads this name.
      if (name !== 'then') missed(name);
      return undefined;
    },
    set: () => false,
    defineProperty: () => false,
    deleteProperty: () => false,
  });
  return view;
}

function ownPackages(entryPath: string): (specifier: string) => boolean {
  const require = createRequire(entryPath);
  const known = new Map<string, boolean>();
  return (specifier) => {
    const found = known.get(specifier) ?? canResolve(require, specifier);
    known.set(specifier, found);
    return found;
  };
}

function canResolve(require: NodeJS.Require, specifier: string): boolean {
  try {
    require.resolve(specifier);
    return true;
  } catch {
    return false;
  }
}

async function loadedTypebox(): Promise<Record<string, unknown>> {
  const [typebox, { Value }] = await Promise.all([import('typebox'), import('typebox/value')]);
  return { ...typebox, Value, __esModule: true };
}
