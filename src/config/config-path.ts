// The address of one value inside a configuration, and functions that read and write by address. Values are never
// changed in place.

import { isPlainObject } from './plain-object.ts';

export type ConfigPath = readonly (string | number)[];

/** Formats a path as people write it: `agents.list[0].workspace`. Keys that would be misread are quoted. */
export function formatConfigPath(path: ConfigPath): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (!/^[^\s.[\]"']+$/.test(part)) text += `[${JSON.stringify(part)}]`;
    else text += text === '' ? part : `.${part}`;
  }
  return text === '' ? 'the whole file' : text;
}

/** Returns undefined when there is no value at `path`. */
export function valueAt(value: unknown, path: ConfigPath): unknown {
  let current = value;
  for (const part of path) {
    if (Array.isArray(current)) current = typeof part === 'number' ? current[part] : undefined;
    else if (isPlainObject(current) && Object.hasOwn(current, part)) current = current[part];
    else return undefined;
  }
  return current;
}

/** Returns how many leading parts of `path` exist in `value`. */
export function depthOf(value: unknown, path: ConfigPath): number {
  let depth = 0;
  while (depth < path.length && valueAt(value, path.slice(0, depth + 1)) !== undefined) depth++;
  return depth;
}

/**
 * Returns a copy of `value` with `replacement` at `path`. Missing or empty values on the way become objects and lists.
 */
export function withValueAt(value: unknown, path: ConfigPath, replacement: unknown): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return replacement;
  if (Array.isArray(value) && typeof part === 'number') {
    const copy = [...value];
    copy[part] = withValueAt(value[part], rest, replacement);
    return copy;
  }
  if (isPlainObject(value)) {
    const entries = new Map<string, unknown>(Object.entries(value));
    const key = String(part);
    entries.set(key, withValueAt(entries.get(key), rest, replacement));
    return Object.fromEntries(entries);
  }
  return nestValue(path, replacement);
}

/** A copy without the member at the path, which has at least one part. Items of a list are not taken out. */
export function withoutValueAt(value: unknown, [first = '', ...rest]: ConfigPath): unknown {
  if (Array.isArray(value))
    return value.map((item, index) => (index === first && rest.length > 0 ? withoutValueAt(item, rest) : item));
  if (typeof value !== 'object' || value === null) return value;
  const { [first]: inner, ...others } = value as Record<string | number, unknown>;
  return rest.length === 0 ? others : { ...value, [first]: withoutValueAt(inner, rest) };
}

/** Returns the smallest value that has `value` at `path`. */
export function nestValue(path: ConfigPath, value: unknown): unknown {
  return path.reduceRight<unknown>(
    (inner, part) => (typeof part === 'number' ? [inner] : Object.fromEntries([[part, inner]])),
    value,
  );
}

/**
 * Returns the place on the way to `path` that makes the path impossible: a value that is neither an object, nor a list
 * that has or may get this item, nor absent.
 */
export function obstacleOn(value: unknown, path: ConfigPath): string | undefined {
  let current = value;
  for (const [depth, part] of path.entries()) {
    if (current === undefined || current === null) return undefined;
    const where = formatConfigPath(path.slice(0, depth));
    if (Array.isArray(current)) {
      if (typeof part !== 'number' || part > current.length) return `${where} is a list of ${current.length}`;
    } else if (!isPlainObject(current) || typeof part === 'number') {
      return `${where} is ${typeof current === 'object' ? 'an object' : `a ${typeof current}`}`;
    }
    current = valueAt(current, [part]);
  }
  return undefined;
}

/** The parts of a pattern such as `agents.list[].model`, where `[]` stands for any item and `*` for any name. */
export function parseKeyPattern(pattern: string): readonly string[] {
  // Hundreds of patterns are read at every start, and few of them name a list.
  return (pattern.includes('[]') ? pattern.replaceAll('[]', '.[]') : pattern).split('.');
}

/** True when the written path is `of` or lies below it; `of` may leave out the number of an item: `agents.list[]`. */
export function isPartOf(path: string, of: string): boolean {
  const [given, plain] = [path, path.replaceAll(/\[\d+\]/g, '[]')];
  return [given, plain].some((each) => each === of || each.startsWith(`${of}.`) || each.startsWith(`${of}[`));
}
