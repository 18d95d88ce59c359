// The built-in objects that all code in one thread shares, by name: the global functions and classes with their prototypes,
// the namespaces, and the prototypes that have no global name, such as those of iterators. The modules of Node are not
// among them, because well-known packages change those on purpose.

import { EventEmitter } from 'node:events';
import { MessagePort } from 'node:worker_threads';

export type Holder = Record<PropertyKey, unknown>;

export interface BuiltIn {
  readonly name: string;
  readonly holder: Holder;
  /** False for a member that programs may set. */
  readonly isKept: (key: PropertyKey) => boolean;
}

const { getOwnPropertyDescriptor, getOwnPropertyNames, getPrototypeOf } = Object;

/** Names for the global object itself, and objects whose members packages replace on purpose. */
const LEFT_OUT = new Set(['globalThis', 'global', 'self', 'console', 'process', 'navigator']);

/** Of the global object, those behind a getter that are certainly in use already, so that reading them loads nothing. */
export const LOADED_GLOBALS: readonly string[] = ['process', 'Buffer', 'performance', 'AbortController', 'AbortSignal'];

/** What may be set: how long stacks are, and how large the pool of buffers is. */
const SETTINGS: readonly PropertyKey[] = ['stackTraceLimit', 'prepareStackTrace', 'poolSize'];

/** Packages replace `emit` and `reallyExit` of the process, to hear of its end, and `emitWarning`, to hush it. */
const OF_PROCESS: readonly PropertyKey[] = ['nextTick', 'hrtime', 'cwd', 'kill', '_kill', 'abort', 'exit'];

export function listBuiltIns(): readonly BuiltIn[] {
  const found = new Map<object, BuiltIn>();
  const add = (name: string, value: unknown, isKept = isNoSetting) => {
    if (!isObject(value) || found.has(value)) return;
    found.set(value, { name, holder: value as Holder, isKept });
  };
  const addWithPrototype = (name: string, value: unknown) => {
    add(name, value);
    if (typeof value === 'function') add(`${name}.prototype`, value.prototype);
  };
  for (const name of getOwnPropertyNames(globalThis)) {
    const value = LOADED_GLOBALS.includes(name)
      ? (globalThis as unknown as Holder)[name]
      : getOwnPropertyDescriptor(globalThis, name)?.value;
    if (!isObject(value) || LEFT_OUT.has(name)) continue;
    addWithPrototype(name, value);
    // The classes in a namespace, such as Intl.DateTimeFormat.
    if (typeof value === 'function') continue;
    for (const member of getOwnPropertyNames(value)) {
      const inside: unknown = getOwnPropertyDescriptor(value, member)?.value;
      if (typeof inside === 'function' && isObject(inside.prototype)) addWithPrototype(`${name}.${member}`, inside);
    }
  }
  for (const [name, value] of nameless()) add(name, value);
  add('process', process, (key) => OF_PROCESS.includes(key));
  // The worker answers over ports, and must not hand them to a plugin.
  add('MessagePort.prototype', MessagePort.prototype);
  add('NodeEventTarget.prototype', getPrototypeOf(MessagePort.prototype));
  add('EventEmitter.prototype', EventEmitter.prototype, (key) => !String(key).startsWith('_'));
  return [...found.values()];
}

function isObject(value: unknown): value is object {
  return typeof value === 'function' || (typeof value === 'object' && value !== null);
}

function isNoSetting(key: PropertyKey): boolean {
  return !SETTINGS.includes(key);
}

/** What can be reached with the syntax of the language only. */
function nameless(): readonly (readonly [string, unknown])[] {
  function* generator() {}
  async function* asyncGenerator() {}
  const arrayIterator = getPrototypeOf([].values());
  const asyncIterator = getPrototypeOf(getPrototypeOf(asyncGenerator.prototype));
  return [
    ['TypedArray', getPrototypeOf(Uint8Array)],
    ['TypedArray.prototype', getPrototypeOf(Uint8Array.prototype)],
    ['Iterator.prototype', getPrototypeOf(arrayIterator)],
    ['ArrayIterator.prototype', arrayIterator],
    ['MapIterator.prototype', getPrototypeOf(new Map().values())],
    ['SetIterator.prototype', getPrototypeOf(new Set().values())],
    ['StringIterator.prototype', getPrototypeOf(''[Symbol.iterator]())],
    ['RegExpStringIterator.prototype', getPrototypeOf(''.matchAll(/x/g))],
    ['GeneratorFunction.prototype', getPrototypeOf(generator)],
    ['Generator.prototype', getPrototypeOf(generator.prototype)],
    ['AsyncFunction.prototype', getPrototypeOf(async () => {})],
    ['AsyncGeneratorFunction.prototype', getPrototypeOf(asyncGenerator)],
    ['AsyncGenerator.prototype', getPrototypeOf(asyncGenerator.prototype)],
    ['AsyncIterator.prototype', asyncIterator],
    ['Performance.prototype', getPrototypeOf(performance)],
  ];
}
