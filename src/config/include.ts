// `$include` inside a configuration: the named files, relative to the file that names them, replace the object that has
// the key. Keys beside `$include` win, and lists are joined. No file outside the folder of the main file is read.

import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { ConfigPath } from './config-path.ts';
import { type ConfigSource, loadConfigSource } from './config-source.ts';
import { ConfigIncludeError } from './errors.ts';
import { isPlainObject } from './plain-object.ts';

const INCLUDE_KEY = '$include';
const MAX_INCLUDE_DEPTH = 10;

/** A file that was read, and the path in the whole configuration at which its value was put. */
export interface ConfigLayer {
  readonly source: ConfigSource;
  readonly prefix: ConfigPath;
}

/** Returns the source's value with everything included, and the layers that made it, weakest first. */
export async function expandIncludes(
  source: ConfigSource,
): Promise<{ value: unknown; layers: readonly ConfigLayer[] }> {
  const root = path.dirname(source.file);
  const layers: ConfigLayer[] = [];
  const value = await expandLayer({ source, prefix: [] }, [source.file]);
  return { value, layers };

  async function expandLayer(layer: ConfigLayer, chain: readonly string[]): Promise<unknown> {
    const { source } = layer;
    const expanded = source.text.includes(INCLUDE_KEY) ? await expand(source.value, []) : source.value;
    layers.push(layer);
    return expanded;

    async function expand(value: unknown, at: ConfigPath): Promise<unknown> {
      if (Array.isArray(value)) return inOrder(value, (item, index) => expand(item, [...at, index]));
      if (!isPlainObject(value)) return value;
      let included: unknown;
      if (Object.hasOwn(value, INCLUDE_KEY)) {
        const names: unknown = value[INCLUDE_KEY];
        for (const name of Array.isArray(names) ? names : [names]) {
          included = mergeIncluded(included, await loadIncluded(name, at));
        }
      }
      const own = Object.entries(value).filter(([key]) => key !== INCLUDE_KEY);
      const beside = Object.fromEntries(
        await inOrder(own, async ([key, item]) => [key, await expand(item, [...at, key])] as const),
      );
      if (own.length === 0) return included ?? beside;
      if (included !== undefined && !isPlainObject(included)) {
        throw refusal(value[INCLUDE_KEY], at, 'it holds no object to which the keys beside could be added');
      }
      return mergeIncluded(included, beside);
    }

    function refusal(name: unknown, at: ConfigPath, detail: string): ConfigIncludeError {
      return new ConfigIncludeError({
        file: source.file,
        line: source.lineOf([...at, INCLUDE_KEY]),
        include: String(name),
        detail,
      });
    }

    async function loadIncluded(name: unknown, at: ConfigPath): Promise<unknown> {
      const refuse = (detail: string) => refusal(name, at, detail);
      if (typeof name !== 'string' || name.trim() === '') throw refuse('a file name, or a list of them, is expected');
      const file = path.resolve(path.dirname(source.file), name);
      if (chain.includes(file)) throw refuse('it includes itself');
      if (chain.length > MAX_INCLUDE_DEPTH)
        throw refuse(`files include each other more than ${MAX_INCLUDE_DEPTH} levels deep`);
      if (!(await isInside(file, root))) throw refuse(`it is outside ${root}`);
      const included = await loadConfigSource(file);
      if (included === undefined) throw refuse('it does not exist');
      return expandLayer({ source: included, prefix: [...layer.prefix, ...at] }, [...chain, file]);
    }
  }
}

/** The items run one after the other, so that layers come in the order in which they are written. */
async function inOrder<Item, Result>(
  items: readonly Item[],
  visit: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) results.push(await visit(item, index));
  return results;
}

function mergeIncluded(base: unknown, over: unknown): unknown {
  if (base === undefined) return over;
  if (Array.isArray(base) && Array.isArray(over)) return [...base, ...over];
  if (!isPlainObject(base) || !isPlainObject(over)) return over;
  const entries = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) entries.set(key, mergeIncluded(entries.get(key), value));
  return Object.fromEntries(entries);
}

async function isInside(file: string, root: string): Promise<boolean> {
  const [realFile, realRoot] = await Promise.all([realOrSelf(file), realOrSelf(root)]);
  const relative = path.relative(realRoot, realFile);
  return relative !== '' && relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative);
}

/** For a file that does not exist yet, the name itself is checked. */
async function realOrSelf(file: string): Promise<string> {
  return realpath(file).catch(() => file);
}
