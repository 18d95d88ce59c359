// Values that cross between the gateway and the worker. Data is copied; functions and signals stay where they are and
// are marked by number, errors cross by name, message and code; marks name their place, so nothing in the data can be
// mistaken for one. Objects with a class of their own arrive as plain ones; of the value itself, which may be a decision, the
// getters of its class are read as well.
//
// Errors: `encodeValue` throws CannotCross for what has no copy (a promise, a symbol), for what is too large and for what
// is nested too deep, with the place. Getters and proxies of a plugin run here and may throw anything.

import { types } from 'node:util';
import { decodeError, type EncodedError, encodeError } from './crossing-error.ts';

export interface EncodedValue {
  readonly value: unknown;
  readonly marks?: readonly CrossingMark[] | undefined;
}

export type CrossingMark = { readonly path: readonly (string | number)[] } & (
  | { readonly as: 'function'; readonly handle: number }
  | { readonly as: 'signal'; readonly signal: number; readonly reason?: EncodedValue | undefined }
  | { readonly as: 'error'; readonly error: EncodedError }
);

/** How functions and signals get their numbers on this side. */
export interface CrossingExits {
  readonly functionHandle: (callback: AnyFunction) => number;
  readonly signalNumber: (signal: AbortSignal) => number;
}

/** How numbers become functions and signals on the other. */
export interface CrossingEntries {
  readonly functionOf: (handle: number) => AnyFunction;
  readonly signalOf: (signal: number, reason: EncodedValue | undefined) => AbortSignal;
}

export type AnyFunction = (...args: readonly unknown[]) => unknown;

export class CannotCross extends Error {}

export function encodeValue(value: unknown, exits: CrossingExits, maxBytes: number): EncodedValue {
  const encoder = new Encoder(exits, maxBytes);
  const copy = encoder.copy(value, 0);
  return encoder.marks.length === 0 ? { value: copy } : { value: copy, marks: encoder.marks };
}

export function decodeValue({ value, marks = [] }: EncodedValue, entries: CrossingEntries): unknown {
  const root = { value };
  for (const mark of marks) {
    const isThen = mark.as === 'function' && mark.path.at(-1) === 'then';
    if (!isThen) place(root, ['value', ...mark.path], decodeMark(mark, entries));
  }
  return root.value;
}

/** The getters that the object has from its class, and from those that it extends. */
function getterNames(value: object): readonly string[] {
  const names = new Set<string>();
  let prototype: object | null = Object.getPrototypeOf(value);
  // Another realm's Object.prototype is the last of its chain, too.
  while (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (get !== undefined && !Object.hasOwn(value, name)) names.add(name);
    }
    prototype = Object.getPrototypeOf(prototype);
  }
  return [...names];
}

/** Real events are less deep, and the stack allows more. */
const MAX_DEPTH = 500;

class Encoder {
  readonly marks: CrossingMark[] = [];
  readonly #exits: CrossingExits;
  readonly #maxBytes: number;
  readonly #path: (string | number)[] = [];
  readonly #seen = new Map<object, unknown>();
  #bytes = 0;

  constructor(exits: CrossingExits, maxBytes: number) {
    this.#exits = exits;
    this.#maxBytes = maxBytes;
  }

  copy(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case 'string':
        this.#count(value.length);
        return value;
      case 'function':
        return this.#mark({ as: 'function', handle: this.#exits.functionHandle(value as AnyFunction) });
      case 'symbol':
        throw this.#cannot('is a symbol');
      case 'object':
        return value === null ? null : this.#copyObject(value, depth);
      default:
        this.#count(8);
        return value;
    }
  }

  #copyObject(value: object, depth: number): unknown {
    if (depth > MAX_DEPTH) throw this.#cannot(`is nested deeper than ${MAX_DEPTH} levels`);
    this.#count(16);
    if (value instanceof AbortSignal) return this.#markSignal(value);
    if (value instanceof Error) return this.#mark({ as: 'error', error: encodeError(value) });
    const known = this.#seen.get(value);
    if (known !== undefined) return known;
    if (Array.isArray(value)) return this.#copyArray(value, depth);
    if (types.isProxy(value)) return this.#copyFields(value, depth);
    const copy = this.#copyBuiltIn(value, depth);
    return copy === undefined ? this.#copyFields(value, depth) : copy;
  }

  #copyArray(value: readonly unknown[], depth: number): unknown[] {
    this.#count(value.length * 8);
    const copy: unknown[] = new Array(value.length);
    this.#seen.set(value, copy);
    for (let index = 0; index < value.length; index += 1) copy[index] = this.#copyAt(index, value[index], depth);
    return copy;
  }

  #copyFields(value: object, depth: number): object {
    const copy: Record<string, unknown> = {};
    this.#seen.set(value, copy);
    const keys = depth === 0 ? [...Object.keys(value), ...getterNames(value)] : Object.keys(value);
    for (const key of keys) {
      const field = (value as Record<string, unknown>)[key];
      // The receiver would wait for it as for a promise, and call back to this side.
      if (key === 'then' && typeof field === 'function') throw this.#cannot('is a promise');
      this.#count(key.length);
      setField(copy, key, this.#copyAt(key, field, depth));
    }
    return copy;
  }

  /** Undefined for what is copied field by field. */
  #copyBuiltIn(value: object, depth: number): unknown {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null) return undefined;
    if (value instanceof Date || value instanceof RegExp || types.isBoxedPrimitive(value)) return value;
    if (value instanceof URL) return value.href;
    if (ArrayBuffer.isView(value)) return this.#copyBytes(value);
    if (types.isAnyArrayBuffer(value)) {
      if (types.isSharedArrayBuffer(value)) throw this.#cannot('is shared memory');
      this.#count(value.byteLength);
      return value;
    }
    if (value instanceof Map) {
      const copy = new Map<unknown, unknown>();
      this.#seen.set(value, copy);
      for (const [key, entry] of value) copy.set(this.#copyMember(key, depth), this.#copyMember(entry, depth));
      return copy;
    }
    if (value instanceof Set) {
      const copy = new Set<unknown>();
      this.#seen.set(value, copy);
      for (const entry of value) copy.add(this.#copyMember(entry, depth));
      return copy;
    }
    const name = uncopiableName(value);
    if (name !== undefined) throw this.#cannot(`is a ${name}`);
    return undefined;
  }

  /** Copies only the part of the buffer that is seen: a small view may use a large, shared buffer. */
  #copyBytes(value: ArrayBufferView): ArrayBufferView {
    this.#count(value.byteLength);
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
    if (value instanceof DataView) return new DataView(bytes.buffer);
    if (value instanceof Uint8Array) return bytes;
    const { BYTES_PER_ELEMENT, length } = value as Uint16Array;
    const make = value.constructor as new (buffer: ArrayBufferLike, offset: number, length: number) => ArrayBufferView;
    return BYTES_PER_ELEMENT > 0 ? new make(bytes.buffer, 0, length) : bytes;
  }

  #copyAt(key: string | number, value: unknown, depth: number): unknown {
    this.#path.push(key);
    const copy = this.copy(value, depth + 1);
    this.#path.pop();
    return copy;
  }

  /** Members of maps and sets have no path that a mark could name. */
  #copyMember(value: unknown, depth: number): unknown {
    const before = this.marks.length;
    const copy = this.copy(value, depth + 1);
    if (this.marks.length > before) throw this.#cannot('is a Map or Set with a function, a signal or an error in it');
    return copy;
  }

  #mark(mark: DistributiveOmit<CrossingMark, 'path'>): null {
    this.marks.push({ ...mark, path: [...this.#path] } as CrossingMark);
    return null;
  }

  #markSignal(signal: AbortSignal): null {
    const number = this.#exits.signalNumber(signal);
    return this.#mark({
      as: 'signal',
      signal: number,
      reason: signal.aborted ? encodeReason(signal.reason) : undefined,
    });
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes) {
      throw this.#cannot(`makes it larger than ${Math.round(this.#maxBytes / 1024 / 1024)} MB`);
    }
  }

  #cannot(why: string): CannotCross {
    const path = this.#path.slice(0, 20).map((key) => (typeof key === 'number' ? `[${key}]` : `.${key.slice(0, 60)}`));
    const place = path.join('').replace(/^\./, '');
    return new CannotCross(`${place === '' ? 'the value itself' : place} ${why}`);
  }
}

type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;

/** The reason of an abort, as far as it can cross. */
export function encodeReason(reason: unknown): EncodedValue {
  if (reason instanceof Error) return encodedError(reason);
  return { value: typeof reason === 'string' ? reason.slice(0, 1_000) : undefined };
}

/** A value that is an error and nothing else. Never throws. */
export function encodedError(error: unknown): EncodedValue {
  return { value: null, marks: [{ path: [], as: 'error', error: encodeError(error) }] };
}

function uncopiableName(value: object): string | undefined {
  if (types.isPromise(value)) return 'promise';
  if (types.isWeakMap(value) || types.isWeakSet(value)) return 'weak collection';
  if (types.isGeneratorObject(value)) return 'generator';
  if (types.isExternal(value)) return 'native object';
  return undefined;
}

function decodeMark(mark: CrossingMark, entries: CrossingEntries): unknown {
  if (mark.as === 'function') return entries.functionOf(mark.handle);
  if (mark.as === 'signal') return entries.signalOf(mark.signal, mark.reason);
  return decodeError(mark.error);
}

/** Follows only own fields, so that a path cannot reach a prototype. */
function place(root: object, path: readonly (string | number)[], value: unknown): void {
  let at: unknown = root;
  for (const key of path.slice(0, -1)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return;
    at = (at as Record<string | number, unknown>)[key];
  }
  const last = path.at(-1);
  if (typeof at !== 'object' || at === null || last === undefined || !Object.hasOwn(at, last)) return;
  setField(at as Record<string, unknown>, String(last), value);
}

/** A field called `__proto__` would otherwise set the prototype. */
function setField(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
  } else target[key] = value;
}
