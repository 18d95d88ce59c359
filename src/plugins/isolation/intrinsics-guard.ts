// Guards the built-in objects and functions of the language, and the timers, which all plugins in the worker share. A
// plugin that replaces or removes one of them would break the others, so every change is undone and its name is told.
// Additions are left alone.

import { words } from '../../protocol/words.ts';

// These are taken before a plugin can replace them.
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

/** The functions that almost all code uses. Checking all others takes as long as a call does. */
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

  /** Called after every call: checks what is used most, and everything when some of that was changed. */
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
    // Until the end of this loop, no function is called that a plugin might have replaced.
    for (let index = 0; index < intrinsics.length; index += 1) {
      const each = intrinsics[index];
      if (each === undefined || is(each.holder[each.key], each.value)) continue;
      changed ??= [];
      changed[changed.length] = each.name;
      try {
        defineProperty(each.holder, each.key, each.descriptor);
      } catch {
        // The plugin made it unchangeable as well, so it stays.
      }
    }
    return changed;
  }
}

function intrinsicOf(holder: object, key: string, name: string): Intrinsic[] {
  const found = getOwnPropertyDescriptor(holder, key);
  // What cannot be changed needs no guard. Of a global behind a getter, its value is kept.
  if (!found?.configurable) return [];
  const value = (holder as Record<string, unknown>)[key];
  const descriptor = 'value' in found ? found : { value, configurable: true, writable: true, enumerable: false };
  return [{ holder: holder as Record<PropertyKey, unknown>, key, value, descriptor, name }];
}
