// What all code in the worker stands on: the built-in objects and functions of the language, and the timers. A plugin that
// replaces or removes one of them would break every other one, so whatever was changed is put back, and its name told.
// Additions are left alone.

import { words } from '../../protocol/words.ts';

// Taken at once: this is the first thing that may be replaced.
const { defineProperty, getOwnPropertyDescriptor, getOwnPropertyNames, is } = Object;

interface Intrinsic {
  readonly holder: Record<PropertyKey, unknown>;
  readonly key: string;
  readonly value: unknown;
  readonly descriptor: PropertyDescriptor;
  readonly name: string;
}

const GLOBALS = words(`
  setTimeout clearTimeout setInterval clearInterval setImmediate clearImmediate queueMicrotask structuredClone
  performance process Buffer URL JSON Math Reflect AbortController AbortSignal Uint8Array Date RegExp Proxy Symbol
  Number String Boolean Object Function Array Map Set WeakMap WeakRef Promise Error TypeError globalThis
`);

const MEMBERS: Readonly<Record<string, object>> = {
  Object,
  'Object.prototype': Object.prototype,
  Array,
  'Array.prototype': Array.prototype,
  'Function.prototype': Function.prototype,
  'Map.prototype': Map.prototype,
  'Set.prototype': Set.prototype,
  'WeakMap.prototype': WeakMap.prototype,
  'String.prototype': String.prototype,
  'RegExp.prototype': RegExp.prototype,
  Promise,
  'Promise.prototype': Promise.prototype,
  Reflect,
  JSON,
  Math,
};

/** What next to everything uses; looking at all the others takes as long as a call does. */
const MOST_USED = new Set([
  ...['setTimeout', 'setImmediate', 'clearTimeout', 'queueMicrotask', 'performance', 'process', 'AbortController'],
  ...['Object', 'Array', 'Map', 'Promise', 'Error', 'JSON.parse', 'JSON.stringify', 'Promise.prototype.then'],
  ...['Object.keys', 'Object.entries', 'Object.fromEntries', 'Object.defineProperty', 'Function.prototype.call'],
  ...['push', 'slice', 'map', 'filter', 'flatMap', 'find', 'some', 'join'].map((name) => `Array.prototype.${name}`),
  ...['get', 'set', 'delete'].map((name) => `Map.prototype.${name}`),
]);

export class IntrinsicsGuard {
  readonly #intrinsics: readonly Intrinsic[];
  readonly #mostUsed: readonly Intrinsic[];

  constructor() {
    this.#intrinsics = [
      ...GLOBALS.flatMap((key) => intrinsicOf(globalThis, key, key)),
      ...Object.entries(MEMBERS).flatMap(([name, holder]) =>
        getOwnPropertyNames(holder)
          // A getter's value depends on the object that it is read from.
          .filter((key) => 'value' in (getOwnPropertyDescriptor(holder, key) ?? {}))
          .flatMap((key) => intrinsicOf(holder, key, `${name}.${key}`)),
      ),
    ];
    this.#mostUsed = this.#intrinsics.filter(({ name }) => MOST_USED.has(name));
  }

  /** For after every call: looks at what is used most, and at everything when some of that was changed. */
  restoreMostUsed(): string[] | undefined {
    const intrinsics = this.#mostUsed;
    for (let index = 0; index < intrinsics.length; index += 1) {
      const each = intrinsics[index];
      if (each !== undefined && !is(each.holder[each.key], each.value)) return this.restore();
    }
    return undefined;
  }

  /** Gives the names of what had been changed; undefined when nothing had. */
  restore(): string[] | undefined {
    const intrinsics = this.#intrinsics;
    let changed: string[] | undefined;
    // No call of anything that might have been replaced, until it is put back.
    for (let index = 0; index < intrinsics.length; index += 1) {
      const each = intrinsics[index];
      if (each === undefined || is(each.holder[each.key], each.value)) continue;
      changed ??= [];
      changed[changed.length] = each.name;
      try {
        defineProperty(each.holder, each.key, each.descriptor);
      } catch {
        // It was made unchangeable as well; then it stays.
      }
    }
    return changed;
  }
}

function intrinsicOf(holder: object, key: string, name: string): Intrinsic[] {
  const found = getOwnPropertyDescriptor(holder, key);
  // What cannot be changed needs no keeping. A global behind a getter is kept as what it gives.
  if (!found?.configurable) return [];
  const value = (holder as Record<string, unknown>)[key];
  const descriptor = 'value' in found ? found : { value, configurable: true, writable: true, enumerable: false };
  return [{ holder: holder as Record<PropertyKey, unknown>, key, value, descriptor, name }];
}
